package hudilite.tests;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A program that uses Hive's JDBC driver. Standard input has one request a line, as JSON, and
 * standard output its answer.
 */
public final class JdbcProgram {
  private static final PrintStream ANSWERS = System.out;

  private final String url;
  private Connection connection;
  private Statement running;
  private CompletableFuture<Map<String, Object>> answer;

  private JdbcProgram(String url) throws SQLException {
    this.url = url;
    this.connection = DriverManager.getConnection(url);
  }

  public static void main(String[] args) throws Exception {
    System.setOut(System.err); // Log4j writes errors to standard output
    JdbcProgram program = new JdbcProgram(args[0]);
    ObjectMapper json = new ObjectMapper();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode asked = json.readTree(line);
      Map<String, Object> found = program.answer(asked.get("do").asText(), asked.get("sql").asText());
      ANSWERS.println(json.writeValueAsString(found));
    }
    System.exit(0);
  }

  private Map<String, Object> answer(String what, String sql) {
    try {
      switch (what) {
        case "run":
          return execute(connection.createStatement(), sql);
        case "start":
          running = connection.createStatement();
          answer = CompletableFuture.supplyAsync(() -> outcome(running, sql));
          return Map.of();
        case "cancel":
          running.cancel();
          return Map.of();
        case "finish":
          return answer.join();
        case "columns":
          return rows(connection.getMetaData().getColumns(null, "programs", sql, "%"));
        case "keys":
          return rows(connection.getMetaData().getPrimaryKeys(null, "programs", sql));
        default:
          connection = DriverManager.getConnection(url);
          return Map.of();
      }
    } catch (SQLException e) {
      return failed(e);
    }
  }

  private static Map<String, Object> outcome(Statement statement, String sql) {
    try {
      return execute(statement, sql);
    } catch (SQLException e) {
      return failed(e);
    }
  }

  private static Map<String, Object> failed(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return Map.of("error", String.valueOf(e.getMessage()), "state", state);
  }

  private static Map<String, Object> execute(Statement statement, String sql) throws SQLException {
    try (statement) {
      boolean hasRows = statement.execute(sql);
      return hasRows ? rows(statement.getResultSet()) : Map.of();
    }
  }

  private static Map<String, Object> rows(ResultSet found) throws SQLException {
    List<String> types = new ArrayList<>();
    List<List<Object>> rows = new ArrayList<>();
    int columns = found.getMetaData().getColumnCount();
    for (int i = 1; i <= columns; i++) types.add(found.getMetaData().getColumnTypeName(i));
    while (found.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 1; i <= columns; i++) row.add(plain(found.getObject(i)));
      rows.add(row);
    }
    return Map.of("types", types, "rows", rows);
  }

  /** A value that JSON can hold, and that is the same for the other clients. */
  private static Object plain(Object cell) {
    if (cell instanceof byte[]) return HexFormat.of().formatHex((byte[]) cell);
    boolean whole =
        cell == null || cell instanceof Boolean || cell instanceof Byte || cell instanceof Short;
    return whole || cell instanceof Integer || cell instanceof Long ? cell : cell.toString();
  }
}
