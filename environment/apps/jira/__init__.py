"""Jira Cloud: projects, issues and the workflows that they go through."""
