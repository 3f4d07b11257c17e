"""The reference policy's tokenizer: byte-level BPE of exactly 4096 ids that keeps copyable things whole.

Copying works token by token, so a name, an id or an amount has to be the same tokens wherever it stands:

- a space before a capital letter or a digit is a token of its own, so `Ann Lee` reads the same in prose and in JSON;
- digits come in chunks of up to three;
- runs of JSON punctuation such as `": "` or `"}, {"` may merge, so that tool results stay short.

Its chat template is Qwen3-Instruct-2507's, which TRL recognises by its exact text. It has no thinking
block, and what it renders for a prefix of a conversation is a prefix of what it renders for the whole.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import trl
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from training.reference_policy.architecture import CONTEXT, FIRST_ORDINARY_ID, VOCABULARY

PAD, END_OF_TURN = "<|endoftext|>", "<|im_end|>"
# Recall pretraining used ids 1 and 2 as its own separators: no text may contain them.
SPECIAL = (PAD, "<|reserved_1|>", "<|reserved_2|>", "<|im_start|>", END_OF_TURN)
# Not "special" to the library, as in Qwen3: decoding with skip_special_tokens must keep tool calls.
TAGS = (
    "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>",
    "<tools>", "</tools>", "<think>", "</think>",
)  # fmt: skip

_SPECIAL_TEXT = re.compile("|".join(map(re.escape, (*SPECIAL, *TAGS))))
_WORDS = "|".join(
    (
        r"\p{N}{1,3}",
        r"[ _]?\p{Ll}[\p{Ll}\p{M}]*",
        r"\p{Lu}{2,}(?!\p{Ll})",
        r"\p{Lu}[\p{Ll}\p{M}]*",
        r'[{}\[\]":,]+(?: [{}\[\]":,]+)*',
        r"\s*[\r\n]+",
        r" ?[^\s\p{L}\p{N}{}\[\]\":,_]+",
        r"\s",
        r".",
    )
)


def train_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer with exactly `VOCABULARY` ids, merges learned from `texts` (rendered conversations).

    Ids that the texts do not fill are reserved tokens that no text produces.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORDS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    reserved = [f"<|reserved_{i}|>" for i in range(len(SPECIAL) + len(TAGS), FIRST_ORDINARY_ID)]
    tokenizer.train_from_iterator(
        (part for text in texts for part in _SPECIAL_TEXT.split(text)),
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            min_frequency=2,
            special_tokens=[*SPECIAL, *TAGS, *reserved],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    size = tokenizer.get_vocab_size()
    tokenizer.add_special_tokens([f"<|reserved_{i}|>" for i in range(size, VOCABULARY)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=_with_plain_tags(tokenizer),
        eos_token=END_OF_TURN,
        pad_token=PAD,
        model_max_length=CONTEXT,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = chat_template()
    return fast


def chat_template() -> str:
    """The text of the Qwen3-Instruct-2507 chat template as the installed TRL knows it."""
    return (Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja").read_text(encoding="utf-8")


def _with_plain_tags(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer with `TAGS` as ordinary added tokens (the trainer marks all it is given as special)."""
    plain = Tokenizer.from_str(tokenizer.to_str())
    plain.add_tokens([AddedToken(tag, special=False, normalized=False) for tag in TAGS])
    return plain
