"""What the libraries read when they are imported, the same however the tests are started."""

import os

for name, value in {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}.items():
    os.environ.setdefault(name, value)
