package hudilite.index

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import hudilite.RandomText
import hudilite.error.HudiliteException
import hudilite.io.TempFolder
import hudilite.view.{FileSlice, SliceBase}

class KeyLookupSuite extends AnyFunSuite {
  private val seed = new RandomText("KeyLookupSuite").seed
  private val ways =
    Seq(
      RangePruning.Auto,
      RangePruning.Sweep,
      RangePruning.Off,
      RangePruning.List,
      RangePruning.Tree
    )

  private def sorted(keys: Seq[String]): SortedKeys = {
    val builder = new SortedKeys.Builder
    keys.map(UTF8String.fromString).sorted.foreach(builder.add)
    builder.result()
  }

  private def found(
      runs: Seq[Seq[String]],
      files: Seq[FileSlice],
      pruning: RangePruning,
      counts: LookupCounts = new LookupCounts
  ): Map[String, Int] = {
    val packed = runs.map(sorted).toIndexedSeq
    val all = mutable.Map.empty[String, Int]
    new KeyLookup(packed, pruning, KeyFiles.conf, counts).find(files.toIndexedSeq) {
      (run, key, file) =>
        val text = packed(run)(key).toString
        assert(!all.contains(text), s"$text was found twice")
        all(text) = file
    }
    all.toMap
  }

  test("every key is found in its file, whatever the files look like, and no other")(
    TempFolder.use { folder =>
      val random = new Random(seed)
      var runs, byFilter, byJoin = 0
      (0 until 25).foreach { round =>
        val layout = KeyFiles.layout(random, 1 + random.nextInt(24), 30, random.nextBoolean())
        val files = layout.zipWithIndex.map { case (keys, i) =>
          val kind = KeyFiles.footerKinds(random.nextInt(KeyFiles.footerKinds.size))
          KeyFiles.write(folder.toString, s"r$round-$i", keys, kind)
        }
        val fileOf = layout.zipWithIndex.flatMap { case (keys, i) => keys.map(_ -> i) }.toMap
        val some =
          random.shuffle(fileOf.keys.toVector).take(1 + random.nextInt(1 << random.nextInt(9)))
        val others = Seq.fill(random.nextInt(50))("x" + random.nextInt(100000)).distinct
        val sought = (some ++ others).groupBy(_.hashCode & 3).values.toSeq
        ways.foreach { way =>
          val counts = new LookupCounts
          val hits = found(sought, files, way, counts)
          assert(hits == some.map(key => key -> fileOf(key)).toMap,
            s"seed $seed, round $round, $way")
          assert(counts.confirmed == some.size)
          runs += 1
          if (counts.probed > 0) byFilter += 1
          if (counts.outnumbered + counts.unfiltered > 0) byJoin += 1
        }
      }
      assert(byFilter * 5 >= runs && byJoin * 5 >= runs, s"$runs runs: $byFilter and $byJoin")
    }
  )

  test("files beyond the keys' range are not looked into, and a footer is read once")(
    TempFolder.use { folder =>
      val files = (0 until 40).map { i =>
        KeyFiles.write(folder.toString, s"f$i", (0 until 20).map(k => f"${i * 20 + k}%05d"),
          KeyFiles.Whole)
      }
      val counts = new LookupCounts
      val keys = Seq("00401", "00405", "00411x")
      assert(
        found(Seq(keys), files, RangePruning.Auto, counts) == Map("00401" -> 20, "00405" -> 20)
      )
      assert(counts.opened == 40 && counts.footersRead == 40 && counts.afterRange == 1)
      assert(counts.probed == 3 && counts.passed == 2 && counts.comparisons <= 40 * 2 * 2)
      val (list, tree, off) = (new LookupCounts, new LookupCounts, new LookupCounts)
      assert(found(Seq(keys), files, RangePruning.List, list).size == 2)
      assert(list.footersRead == 0 && list.opened == 1 && list.comparisons == 3 * 40)
      assert(found(Seq(keys), files, RangePruning.Tree, tree).size == 2)
      assert(tree.comparisons <= 3 * 7)
      assert(found(Seq(keys), files, RangePruning.Off, off).size == 2)
      assert(off.comparisons == 0 && off.afterRange == 40 && off.probed == 3 * 40)
    }
  )

  test("of a footer no more is read than its front, but where its filter is asked")(
    TempFolder.use { folder =>
      val files = (0 until 4).map { i =>
        val keys = (0 until 5000).map(k => f"${i * 5000 + k}%05d")
        KeyFiles.write(folder.toString, s"large$i", keys, KeyFiles.Whole, 5000)
      }
      val counts = new LookupCounts
      assert(found(Seq(Seq("07000", "07000x")), files, RangePruning.Auto, counts).size == 1)
      assert(counts.opened == 4 && counts.footersRead == 4 && counts.filtersRead == 1)
      val groups = KeyFiles.write(
        folder.toString,
        "groups",
        (0 until 9000).map(k => f"$k%05d"),
        KeyFiles.Whole
      ) // whose front does not tell of all row groups
      val whole = new LookupCounts
      assert(found(Seq(Seq("08999", "0899")), Seq(groups), RangePruning.Auto, whole).size == 1)
      assert(whole.opened == 1 && whole.filtersRead == 1 && whole.passed == 1)
    }
  )

  test("few keys are sought on their pages, without the filter")(TempFolder.use { folder =>
    val random = new Random(seed)
    val sorted = (0 until 10000).map(k => f"$k%05d")
    Seq(sorted, random.shuffle(sorted)).zipWithIndex.foreach { case (keys, i) =>
      val file = KeyFiles.write(folder.toString, s"few$i", keys, KeyFiles.Whole, 10000)
      val counts = new LookupCounts
      assert(found(Seq(Seq("00700", "08000")), Seq(file), RangePruning.Auto, counts).size == 2)
      assert(found(Seq(Seq("00700x")), Seq(file), RangePruning.Auto, counts).isEmpty)
      assert(counts.few == 2 && counts.filtersRead == 0 && counts.probed == 0)
      val more = new LookupCounts
      val three = Seq("00700", "0070x", "09999")
      assert(found(Seq(three), Seq(file), RangePruning.Auto, more).size == 2)
      assert(more.few == 0 && more.filtersRead == 1 && more.probed == 3)
      val known = new LookupCounts
      assert(found(Seq(three.take(1)), Seq(file), RangePruning.Auto, known).size == 1)
      assert(known.few == 0 && known.probed == 1)
    }
  })

  test("where all ranges overlap none is compared")(TempFolder.use { folder =>
    val random = new Random(7)
    val keys = random.shuffle((0 until 800).toVector).map(k => f"$k%05d")
    val files = keys.grouped(20).toSeq.zipWithIndex.map { case (some, i) =>
      KeyFiles.write(folder.toString, s"o$i", some, KeyFiles.Whole)
    }
    val counts = new LookupCounts
    assert(found(Seq(keys.take(10)), files, RangePruning.Auto, counts).size == 10)
    assert(counts.unpruned == 24 && counts.comparisons <= 16 * 2 * 4 && counts.probed <= 400)
  })

  test("many keys and files make no pairs")(TempFolder.use { folder =>
    val random = new Random(seed)
    val keys = random.shuffle((0 until 80000).toVector).map(k => f"$k%07d")
    val files = keys.take(20000).grouped(50).toSeq.zipWithIndex.map { case (some, i) =>
      KeyFiles.write(folder.toString, s"many$i", some.sorted, KeyFiles.Whole, 50)
    }
    val counts = new LookupCounts
    val hits = found(keys.take(40000).grouped(10000).toSeq, files, RangePruning.Auto, counts)
    assert(hits.size == 20000 && counts.files == 400 && counts.outnumbered == 400)
    assert(counts.probed == 0 && counts.comparisons <= 4 * 400 * 2 * 15)
    val few = new LookupCounts
    assert(found(Seq(keys.take(40)), files, RangePruning.Auto, few).size == 40)
    assert(few.probed <= 40 * 400 && few.passed <= 41 && few.footersRead == 0)
  })

  test("more keys than a file has rows are joined with its keys")(TempFolder.use { folder =>
    val keys = (0 until 100).map(k => f"$k%05d")
    val file = KeyFiles.write(folder.toString, "join", keys, KeyFiles.Whole)
    val counts = new LookupCounts
    val sought = keys.take(60) ++ keys.take(60).map(_ + "x")
    assert(found(Seq(sought), Seq(file), RangePruning.Auto, counts).size == 60)
    assert(counts.outnumbered == 1 && counts.probed == 0)
  })

  test("a file that is gone is named")(TempFolder.use { folder =>
    val file = KeyFiles.write(folder.toString, "gone", Seq("a"), KeyFiles.Whole)
    val moved = file.copy(base = SliceBase.BaseFile(file.path.suffix("x"), file.length))
    val e = intercept[HudiliteException](found(Seq(Seq("a")), Seq(moved), RangePruning.Auto))
    assert(e.condition == "HUDILITE_MISSING_DATA_FILE")
  })
}
