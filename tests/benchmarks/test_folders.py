"""Each attempt has an empty folder to itself, and none stays behind."""

from pathlib import Path

import pytest

from benchmarks.folders import Folders


@pytest.fixture
def folders() -> Folders:
    return Folders()


def test_two_attempts_at_once_have_two_empty_folders(folders: Folders) -> None:
    one, two = folders.take(), folders.take()
    assert one != two
    assert [list(folder.iterdir()) for folder in (one, two)] == [[], []]
    folders.close()


def test_a_folder_that_comes_back_empty_is_used_again(folders: Folders) -> None:
    one = folders.take()
    folders.give_back(one)
    assert folders.take() == one
    folders.close()


def test_a_folder_with_anything_in_it_is_never_used_again(folders: Folders) -> None:
    one = folders.take()
    (one / "notes").mkdir()
    (one / "notes" / "page.txt").write_text("left behind")
    folders.give_back(one)
    assert folders.take() != one and not one.exists()
    folders.close()


def test_an_attempt_may_remove_its_folder(folders: Folders) -> None:
    one = folders.take()
    one.rmdir()
    folders.give_back(one)
    assert folders.take() != one
    folders.close()


def test_closing_removes_what_is_still_in_use(folders: Folders) -> None:
    one: Path = folders.take()
    (one / "page.txt").write_text("in use")
    folders.close()
    assert not one.parent.exists()
