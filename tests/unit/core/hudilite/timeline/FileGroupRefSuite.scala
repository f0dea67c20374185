package hudilite.timeline

import org.scalatest.funsuite.AnyFunSuite

class FileGroupRefSuite extends AnyFunSuite {
  private val group = FileGroupRef("p=a", "00000001-ab-0")

  test("a bucket excludes its file groups in its partition only") {
    assert(FileGroupRef.bucket("p=a", 1).conflicts(group))
    assert(group.conflicts(FileGroupRef.bucket("p=a", 1)))
    assert(!FileGroupRef.bucket("p=b", 1).conflicts(group))
    assert(!FileGroupRef.bucket("p=a", 2).conflicts(group))
  }

  // F32
  test("a change of the columns excludes every write, either way round") {
    assert(FileGroupRef.wholeTable.conflicts(group) && group.conflicts(FileGroupRef.wholeTable))
    assert(FileGroupRef.wholeTable.conflicts(FileGroupRef.wholeTable))
  }
}
