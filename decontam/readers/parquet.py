"""A Parquet file is a table of rows; only the columns that are asked for are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from decontam.readers.place import Place
from decontam.readers.plain import Columns, missing_column


def parquet_rows(path: Path, columns: Columns) -> Iterator[tuple[Place, Any]]:
    """The rows with their numbers. Raises ValueError for a file that is no Parquet and for a column it doesn't have."""
    import pyarrow as pa  # not when Dagster loads the code location
    import pyarrow.parquet as pq

    wanted = {"--text-column": columns.text, "--id-column": columns.id, "--domain-column": columns.domain}
    number = 0
    try:
        with pq.ParquetFile(path) as file:
            known = file.schema_arrow.names
            tops: list[str] = []
            for option, column in wanted.items():
                if column is not None:
                    top = column if column in known else column.partition(".")[0]
                    if top not in known:
                        raise ValueError(f"{path} {missing_column(column, option, known)}")
                    tops.append(top)
            for batch in file.iter_batches(batch_size=1000, columns=tops):
                parts = {name: batch.column(name) for name in batch.schema.names}
                for position in range(batch.num_rows):
                    number += 1
                    yield (
                        Place(str(path), "row", number),
                        {name: part[position].as_py() for name, part in parts.items()},
                    )
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; export the benchmark there or name another file") from None
    except UnicodeDecodeError as error:
        Place(str(path), "row", number).refuse(f"is not UTF-8 text at byte {error.start + 1}; export the file again")
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} is no readable Parquet file ({_first_line(error)}); export it again") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip(" .")[:200]
