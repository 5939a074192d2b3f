package import AuthModel
import TOML

/// One problem in a configuration file.
package struct ConfigurationProblem: Equatable, Sendable {
    /// The file name.
    package var file: String
    /// The line, counted from 1; `nil` if the problem is not on one line.
    package var line: Int?
    /// The first byte in the line, counted from 1; `nil` if it is not known.
    package var column: Int?
    /// The mistake.
    package var message: UserMessage
    /// A way to fix it.
    package var hint: UserMessage?

    /// The file, with the line and the column as far as they are known: `config.toml:3:7`.
    package var place: String { ([file] + [line, column].compactMap { $0.map { String($0) } }).joined(separator: ":") }

    /// Creates a problem from a failure, whose message may begin with the file and line.
    init(_ failure: AuthFailure, in file: String) {
        self.file = file
        message = failure.message
        hint = failure.hint
        guard case .text(let place)? = failure.message.arguments["place"],
            case .message(let problem)? = failure.message.arguments["problem"],
            failure.message.code == UserMessage.problemAt
        else { return }
        message = problem
        guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...]) else {
            self.file = place
            return
        }
        self.file = String(place[..<colon])
        self.line = line
    }
}

extension ConfigurationReader {
    /// Returns all problems of a text over the system files, in the order of their lines; none if it is valid.
    ///
    /// After each problem, the text is read again without the key or table on its line. A setting that a lock ignores is a problem too.
    package func problems(in text: String) -> [ConfigurationProblem] {
        unsortedProblems(in: text).sorted { ($0.file, $0.line ?? 0, $0.column ?? 0) < ($1.file, $1.line ?? 0, $1.column ?? 0) }
    }

    private func unsortedProblems(in text: String) -> [ConfigurationProblem] {
        var document: ConfigurationDocument
        do throws(AuthFailure) {
            document = try ConfigurationDocument(text, name: name)
        } catch {
            var problem = ConfigurationProblem(error, in: name)
            do throws(TOMLError) { _ = try TOMLDocument(text) } catch { problem.column = error.column }
            return [problem]
        }
        var problems: [ConfigurationProblem] = []
        var removed: [[String]] = []
        while true {
            do throws(AuthFailure) {
                let ignored = try load(document).ignored
                return problems + ignored.map { positioned(ConfigurationProblem($0.failure, in: name), in: document).problem }
            } catch {
                let (problem, entry) = positioned(ConfigurationProblem(error, in: name), in: document)
                // A table that lost a key to an earlier problem may lack it now: that is not another problem.
                let losesKeys = entry.map { entry in entry.place == .header && removed.contains { $0.starts(with: entry.path) } } ?? false
                if !losesKeys, !problems.contains(problem) { problems.append(problem) }
                guard let entry else { return problems }
                removed.append(entry.path)
                document = document.with(root: document.root.removing(entry.path[...]))
            }
        }
    }

    /// Returns a problem with its column, and the entry of this file on its line, if any.
    private func positioned(
        _ problem: ConfigurationProblem, in document: ConfigurationDocument
    ) -> (problem: ConfigurationProblem, entry: TOMLDocument.Entry?) {
        guard problem.file == name, let line = problem.line, let found = document.entry(onLine: line) else { return (problem, nil) }
        var problem = problem
        problem.column = found.column
        return (problem, found.entry)
    }
}
