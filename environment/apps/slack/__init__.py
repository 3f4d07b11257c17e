"""Slack: channels, direct messages, threads, reactions and pins behind the Web API."""
