import AuthModel
import Glibc

/// Writes to the standard streams.
enum Output {
    /// Writes lines to standard output.
    ///
    /// - Throws: `.configuration` if nothing reads them any more.
    static func lines(_ lines: [String]) throws(AuthFailure) {
        let text = lines.joined(separator: "\n") + "\n"
        guard write(text, to: STDOUT_FILENO) else { throw AuthFailure(.configuration, text: "cannot write to standard output") }
    }

    /// Writes a line to standard error.
    static func note(_ line: String) { _ = write(line + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Two columns of text under headings.
struct Table {
    let lines: [String]

    init(_ first: String, _ second: String, _ rows: [(String, String)]) {
        let width = rows.map(\.0.count).reduce(first.count, max) + 2
        lines = ([(first, second)] + rows).map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
    }
}
