"""What datatrove's n-gram decontamination makes of texts.

It is run by an interpreter of its own: `pip install datatrove==0.10.1 regex spacy 'xxhash<4'`.
`PYTHON benchmarks/datatrove_baseline.py NGRAM_WORDS PUBLIC OURS`, both files with one JSON string a line; prints JSON.

The index is written with datatrove's own normalisation, tokenizer and hash, but without its NGramsDecontIndexer, which
loads benchmarks from lighteval; the filter is datatrove's own.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from datatrove.data import Document
from datatrove.pipeline.decont.n_grams import NGramsDecontConfig, NGramsDecontFilter
from datatrove.utils.hashing import create_hash_func
from datatrove.utils.text import ngrams, simplify_text
from datatrove.utils.word_tokenizers import load_word_tokenizer


def main() -> None:
    size, public, ours = int(sys.argv[1]), _texts(sys.argv[2]), _texts(sys.argv[3])
    config = NGramsDecontConfig(n_grams=size)
    tokenizer, code_of = load_word_tokenizer("eng"), create_hash_func(config.hash_config)
    tokenizer.word_tokenize("loads its language")
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        codes: set[int] = set()
        for text in public:
            tokens = tokenizer.word_tokenize(simplify_text(text, config.norm_config))
            codes.update(code_of(" ".join(window)) for window in ngrams(tokens, size))
        np.array(list(codes), dtype=config.hash_config.np_descr).tofile(Path(folder) / "public.index.hashes")
        step = NGramsDecontFilter(folder, config)
        step.load_index_hashes()
        index_s = time.process_time() - start
        step.tokenizer.word_tokenize("loads its language")
        start = time.process_time()
        dropped = sum(step.filter(Document(text=text, id=str(number))) is not True for number, text in enumerate(ours))
        filter_s = time.process_time() - start
    print(json.dumps({"version": version("datatrove"), "index_s": index_s, "filter_s": filter_s, "dropped": dropped}))


def _texts(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    main()
