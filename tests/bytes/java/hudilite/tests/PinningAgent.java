package hudilite.tests;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/**
 * Java agent: where hudilite's classes ask for the time, a random id or the number of a task, they
 * ask {@link Pinned}. Its package io stays as it is: it draws only the names of temporary files.
 * Classes of Spark, Hadoop and Java stay as they are, except for the one that writes footers.
 */
public final class PinningAgent implements ClassFileTransformer {
  private static final String PINNED = "hudilite/tests/Pinned";
  private static final String PHASE =
      "org/apache/spark/sql/catalyst/QueryPlanningTracker$PhaseSummary";
  private static final Map<String, String> STATIC =
      Map.of(
          "java/lang/System.currentTimeMillis", "()J",
          "java/lang/System.nanoTime", "()J",
          "java/util/UUID.randomUUID", "()Ljava/util/UUID;");
  private static final Map<String, String> OF_OBJECT =
      Map.of(
          "org/apache/spark/TaskContext.stageId", "(Lorg/apache/spark/TaskContext;)I",
          "org/apache/spark/TaskContext.taskAttemptId", "(Lorg/apache/spark/TaskContext;)J",
          PHASE + ".durationMs", "(L" + PHASE + ";)J",
          "org/apache/spark/SparkContext.applicationId",
              "(Lorg/apache/spark/SparkContext;)Ljava/lang/String;");
  private static final Pattern OURS = Pattern.compile("hudilite/(?!io/|tests/)");
  private static final String FOOTERS =
      "org/apache/parquet/format/converter/ParquetMetadataConverter";
  private static final String SORTED = "(Ljava/util/Set;)Ljava/util/Set;";

  public static void premain(String options, Instrumentation instrumentation) {
    instrumentation.addTransformer(new PinningAgent());
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] code) {
    boolean isOurs = name != null && OURS.matcher(name).lookingAt();
    if (!isOurs && !FOOTERS.equals(name)) {
      return null;
    }
    ClassReader reader = new ClassReader(code);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(isOurs ? new PinnedClass(writer) : new SortedFooters(writer), 0);
    return writer.toByteArray();
  }

  private static final class PinnedClass extends ClassVisitor {
    PinnedClass(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] thrown) {
      return new PinnedMethod(super.visitMethod(access, name, type, signature, thrown));
    }
  }

  private static final class PinnedMethod extends MethodVisitor {
    PinnedMethod(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitMethodInsn(int code, String owner, String name, String type, boolean isFace) {
      String asked = owner + "." + name;
      String pinned = STATIC.getOrDefault(asked, OF_OBJECT.get(asked));
      if (pinned == null) {
        super.visitMethodInsn(code, owner, name, type, isFace);
      } else {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, PINNED, name, pinned, false);
      }
    }
  }

  /** Parquet's writer of footers: the encodings of a column, which lie in a set, are sorted. */
  private static final class SortedFooters extends ClassVisitor {
    SortedFooters(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String type, String signature, String[] thrown) {
      MethodVisitor next = super.visitMethod(access, name, type, signature, thrown);
      if (!name.equals("toFormatEncodings")) {
        return next;
      }
      return new MethodVisitor(Opcodes.ASM9, next) {
        @Override
        public void visitCode() {
          super.visitCode();
          visitVarInsn(Opcodes.ALOAD, 1);
          visitMethodInsn(Opcodes.INVOKESTATIC, PINNED, "sorted", SORTED, false);
          visitVarInsn(Opcodes.ASTORE, 1);
        }
      };
    }
  }
}
