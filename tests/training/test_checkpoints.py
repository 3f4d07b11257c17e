from __future__ import annotations

from training.checkpoints import discard_incomplete, mark_complete, newest_checkpoint, update_of


def _checkpoint(folder, update: int):
    path = folder / f"checkpoint-{update}"
    path.mkdir(parents=True)
    (path / "optimizer.pt").write_text("state")
    return path


def test_an_unmarked_checkpoint_does_not_count_and_is_deleted(tmp_path):
    mark_complete(_checkpoint(tmp_path, 8))
    mark_complete(_checkpoint(tmp_path, 10))
    cut = _checkpoint(tmp_path, 12)
    newest = newest_checkpoint(tmp_path)
    assert update_of(newest) == 10
    discard_incomplete(tmp_path)
    assert not cut.exists()
    assert newest_checkpoint(tmp_path) == newest


def test_without_a_checkpoint_no_update_is_behind_us(tmp_path):
    assert newest_checkpoint(tmp_path / "checkpoints") is None
    discard_incomplete(tmp_path / "checkpoints")
    assert update_of(None) == 0
