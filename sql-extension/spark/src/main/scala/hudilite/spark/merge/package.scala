package hudilite.spark

/** Merge of file groups in tasks.
  *
  * The words of this package:
  *   - a ''partition'' is a partition of the table, that is a folder; a bucket or a number names a
  *     ''file group'' in it; a ''row group'' is a part of a Parquet file
  *   - a ''tagged row'' is a source row with its file group ([[hudilite.spark.locate.TaggedRow]])
  *   - ''old'' is what the table has before the statement, ''new'' what the statement writes
  *   - an ''old base file'' ([[OldBaseFile]]) is the base file that a merge replaces; it stays open
  *     while the merge runs; its row groups ([[OldRowGroup]]) come from its footer
  *     ([[OldBaseFileFooter]])
  *   - ''base file rows'' ([[BaseFileRows]]) are the rows of any base file in the order of their
  *     keys; if the file has this order, row groups can be skipped ([[SeekableBaseFileRows]])
  *   - ''column chunks'' of an old base file ([[hudilite.spark.write.OldColumnChunks]]) are copied
  *     as bytes
  *   - a ''new base file'' ([[NewBaseFile]]) gets its rows row by row ([[RowByRowMerge]]) or row
  *     group by row group ([[RowGroupMerge]]), as [[MergeMode]] says
  *   - a ''part'' ([[MergePart]]) of a large file group is a range of its row groups, which a task of
  *     its own merges ([[PartMergeTask]]) into a ''part file''; [[PartsJoin]] makes the new base file
  *     of them
  *   - a ''preview'' ([[GroupWriters]]) merges like a write, but counts and samples the changed rows
  *     ([[SampledRow]]) and writes no file ([[UnwrittenFile]])
  */
package object merge
