"""Invented rows of SealQA's form, LongSeal's with their documents."""

from typing import Any

SEALQA_ROW: dict[str, Any] = {
    "question": "Which of the two lamps of Nowhere-on-Sea was lit later?",
    "answer": "the north lamp",
    "urls": ["https://lamps.example/north", "https://lamps.example/south"],
    "freshness": "never-changing",
    "question_types": ["advanced reasoning", "entity disambiguation"],
    "effective_year": "before 2024",
    "search_results": "conflicting",
    "topic": "Sea & Shore",
    "canary": "CANARY-made-up-5f1c",
}


def sealqa_row(**columns: Any) -> dict[str, Any]:
    """A row of `seal_0` or `seal_hard`, with these columns changed."""
    return {**SEALQA_ROW, **columns}


def documents(n_documents: int, *, about: str) -> list[dict[str, Any]]:
    """Documents whose texts name themselves: "north lamp 1", "north lamp 2", …"""
    return [
        {
            "title": f"Title of {about} {n}",
            "date": f"2024-05-{n:02}",
            "url": f"https://papers.example/{n}",
            "text": f"{about} {n}",
        }
        for n in range(1, n_documents + 1)
    ]


def helpful(n_documents: int) -> list[dict[str, Any]]:
    """Documents that hold the answer: "helpful paper 1", "helpful paper 2", …"""
    return documents(n_documents, about="helpful paper")


def longseal_row(**columns: Any) -> dict[str, Any]:
    """A row of `longseal` with two helpful documents, and these columns changed."""
    others = {f"{n}_docs": documents(n, about=f"other paper of {n}, no.") for n in (12, 20, 30)}
    return {**SEALQA_ROW, "golds": helpful(2), **others, **columns}
