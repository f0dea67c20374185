package hudilite.timeline

import java.nio.file.{Files, Paths}

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import hudilite.view.TestTable

class BucketRulesSuite extends AnyFunSuite {
  private val configs = ".hoodie/.bucket_index/partition_bucket_index_meta/configs"

  test("stock Hudi finds a number of buckets that it refuses, until the rule is removed") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      val rules = new BucketRules(table.files)
      assert(rules.areOurs)
      rules.refuse()
      rules.refuse()
      val folder = table.files.at(configs)
      assert(table.storage.names(folder) == Seq("00000000000000.hashing_config"))
      val path = new Path(folder, "00000000000000.hashing_config")
      val rule = Json.parse(table.storage.read(path), path)
      assert(rule.get("defaultBucketNumber").asInt(-1) == 0)
      assert(rule.get("expressions").asText == "^,0" && rule.get("rule").asText == "regex")
      assert(rules.areOurs && table.snapshot.bucketRules.isEmpty)
      rules.remove()
      assert(table.snapshot.bucketRules.isEmpty)
      assert(table.storage.names(table.files.at(".hoodie/.bucket_index")).isEmpty)
    }
  }

  test("a rule that is being put there or removed is no rule of others") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      val folder = table.files.at(configs)
      table.storage.mkdirs(folder.getParent)
      assert(table.snapshot.bucketRules.isEmpty)
      table.storage.mkdirs(folder)
      assert(table.snapshot.bucketRules.isEmpty)
      val gone = Paths.get(folder.toUri.getPath, "00000000000000.hashing_config")
      Files.createSymbolicLink(gone, Paths.get("gone"))
      assert(table.storage.names(folder).size == 1, "it is listed, and cannot be read")
      assert(table.snapshot.bucketRules.isEmpty)
    }
  }

  test("rules of stock Hudi, and other rules for buckets, are not hudilite's") {
    TestTable.use { table =>
      table.merge(1)(_ => "a"): Unit
      val rules = new BucketRules(table.files)
      rules.refuse()
      val text = """{"expressions": "a,1", "defaultBucketNumber": 2, "rule": "regex"}"""
      table.storage.createNew(table.files.at(s"$configs/2024.hashing_config"), text.getBytes)
      assert(table.snapshot.bucketRules.contains(BucketRules.folder))
      rules.refuse()
      assert(table.storage.names(table.files.at(configs)).size == 2)
    }
  }
}
