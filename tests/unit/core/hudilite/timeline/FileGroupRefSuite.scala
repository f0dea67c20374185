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

  // F20
  test("a bucket everywhere excludes that bucket in each partition, either way round") {
    assert(FileGroupRef.everywhere(1).conflicts(group))
    assert(group.conflicts(FileGroupRef.everywhere(1)))
    assert(FileGroupRef.everywhere(1).conflicts(FileGroupRef.bucket("p=b", 1)))
    assert(FileGroupRef.everywhere(1).conflicts(FileGroupRef.everywhere(1)))
    assert(!FileGroupRef.everywhere(2).conflicts(group))
    assert(!FileGroupRef.everywhere(2).conflicts(FileGroupRef.bucket("p=a", 1)))
  }

  // F32
  test("a change of the columns excludes every write, either way round") {
    assert(FileGroupRef.wholeTable.conflicts(group) && group.conflicts(FileGroupRef.wholeTable))
    assert(FileGroupRef.wholeTable.conflicts(FileGroupRef.wholeTable))
  }
}
