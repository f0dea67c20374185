addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5.6")
addSbtPlugin("ch.epfl.scala" % "sbt-scalafix" % "0.14.3")
libraryDependencies += "org.ow2.asm" % "asm" % "9.9" // ThinJar takes the compiler's signatures out
