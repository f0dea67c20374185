package hudilite.spark.catalog

import org.apache.spark.sql.types.{StructField, StructType}

import hudilite.format.{IndexKind, TableConfig}

/** Checks the declarations of a CREATE TABLE against the Hudi table at its LOCATION. */
private[catalog] object Agreement {

  /** @param config the table's facts, completed by [[Adoption]]
    * @param schema the table's columns
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values; HUDILITE_PROPERTY_UNSUPPORTED. */
  def check(asked: AskedFacts, config: TableConfig, schema: StructType): Unit = {
    check(PropertyRules.key, Some(config.recordKeyFields), asked.key)
    check(PropertyRules.partitions, Some(config.partitionFields), asked.partitionFields)
    check(
      PropertyRules.ordering,
      Some(config.namedOrderingFields),
      asked.orderingFields
    )
    check(
      PropertyRules.global,
      Some(Seq(config.isGlobalIndex.toString)),
      asked.isGlobal.map(isGlobal => Seq(isGlobal.toString))
    )
    check(PropertyRules.version, Some(Seq(config.version.code)),
      asked.version.map(v => Seq(v.code)))
    check(PropertyRules.tableType, Some(Seq(TableFacts.value(config, PropertyRules.tableType))),
      asked.tableType.map(Seq(_)))
    TunableFacts.check(asked.tuned, config, schema)
    asked.checks.diff(config.checks).headOption.foreach { case (name, condition) =>
      throw PropertyRules.conflict(
        s"CONSTRAINT $name",
        config.checks.toMap.get(name).fold("")(CheckConstraints.ddl(name, _)),
        CheckConstraints.ddl(name, condition)
      )
    }
    asked.checkRepeated(config)
    config.index match {
      case IndexKind.Bucket(n, hashed) =>
        if (asked.isBloom)
          throw PropertyRules.conflict(PropertyRules.index, s"BUCKET ($n)", "BLOOM")
        check(PropertyRules.buckets, Some(Seq(n.toString)),
          asked.numBuckets.map(n => Seq(n.toString)))
        check(PropertyRules.hashField, Some(hashed.sorted), asked.hashFields.map(_.sorted))
      case IndexKind.Bloom =>
        asked.numBuckets.foreach { n =>
          throw PropertyRules.conflict(PropertyRules.index, "BLOOM", s"BUCKET ($n)")
        }
    }
  }

  /** @param declared columns of the statement, empty when it has no column list
    * @param found    columns of the table
    * @return the table's columns, with the comments and defaults that the statement adds
    * Errors: HUDILITE_PROPERTY_CONFLICT with both values. */
  def columns(declared: StructType, found: StructType): StructType =
    if (declared.isEmpty) found
    else {
      def names(schema: StructType) = schema.fieldNames.mkString(", ")
      if (names(declared) != names(found))
        throw PropertyRules.conflict("columns", names(found), names(declared))
      StructType(declared.zip(found).map { case (asked, own) => column(asked, own) })
    }

  private def column(asked: StructField, own: StructField): StructField = {
    def typed(field: StructField) = s"${field.name} ${field.dataType.catalogString.toUpperCase}"
    if (typed(asked) != typed(own))
      throw PropertyRules.conflict("columns", typed(own), typed(asked))
    if (!asked.nullable && own.nullable)
      throw PropertyRules.conflict("columns", own.name, s"${own.name} NOT NULL")
    GeneratedColumns.expressionOf(asked).filterNot(GeneratedColumns.expressionOf(own).contains)
      .foreach { expression =>
        throw PropertyRules.conflict("columns", typed(own),
          s"${typed(asked)} ${GeneratedColumns.ddl(expression)}")
      }
    val isBare = asked.metadata.json == "{}"
    if (!isBare && own.metadata.json != "{}" && asked.metadata != own.metadata)
      throw PropertyRules.conflict("columns", own.toDDL, asked.toDDL)
    if (isBare) own else own.copy(metadata = asked.metadata)
  }

  private def check(fact: String, own: Option[Seq[String]], asked: Option[Seq[String]]): Unit =
    asked.filter(_ != own.getOrElse(Nil)).foreach { other =>
      throw PropertyRules.conflict(fact, own.getOrElse(Nil).mkString(","), other.mkString(","))
    }
}
