"""House rules on the rooms of the Scala code."""

from __future__ import annotations

from rooms import DATA_FILES, steps, twins

READ = "sql-extension/spark/src/main/scala/hudilite/spark/read/RowGroup.scala"
WRITE = "sql-extension/spark/src/main/scala/hudilite/spark/write/RowGroup.scala"


def test_two_classes_of_one_name_are_found() -> None:
    texts = {
        READ: "private[read] final case class RowGroup(rows: Long)\n",
        WRITE: "final private[write] class RowGroup {\n  object Part\n}\nprivate object RowGroup\n",
    }
    assert list(twins(texts)) == [f"{WRITE}: RowGroup is also a class of {READ}"]


def test_a_class_with_its_object_and_inner_classes_are_no_twins() -> None:
    texts = {
        READ: "sealed trait Part\nobject Part {\n  case class One()\n}\n",
        WRITE: "/** class Part */\nclass Whole {\n  case class One()\n}\n",
    }
    assert list(twins(texts)) == []


def test_the_variants_of_one_class_for_each_spark_are_one() -> None:
    texts = {
        f"sql-extension/spark/src/main/spark-{minor}/hudilite/spark/read/Ungroup.scala": (
            "object Ungroup\n"
        )
        for minor in ("4.1", "4.2")
    }
    assert list(twins(texts)) == []


def test_no_other_class_takes_a_step_of_the_protocol_of_a_data_file() -> None:
    text = (
        "class Task {\n"
        "  context.addTaskFailureListener((_, _) => file.discard())\n"
        "  Markers.create(timeline, instant)\n"
        "  file.abandon()\n"
        "}\n"
    )
    found = ((2, ".addTaskFailureListener("), (2, ".discard("), (3, "Markers.create("))
    assert list(steps(READ, text)) == [
        f"{READ}:{line}: {step} belongs in NewDataFile" for line, step in found
    ]
    assert [list(steps(place, text)) for place in DATA_FILES] == [[], [], []]
