internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import UserConfiguration

/// The program `yett-sandbox`, running as a child. It ends when this process ends, however that ends.
struct RunningSandbox: Sendable {
    /// The configuration that makes its providers providers of Yett.
    let configuration: String
    /// A user who can sign in.
    let user: (name: String, password: String)
    private let child: ChildProcess
    /// The child runs until this end of its standard input is closed.
    private let input: Int32

    /// Starts the providers on free ports, and waits until they answer.
    ///
    /// - Throws: `.configuration` if they do not start.
    static func start(_ program: String, environment: [String: String]) async throws(AuthFailure) -> RunningSandbox {
        try await DetachedThread.run { startHere(program, environment) }.get()
    }

    /// Ends the providers, and waits until they have ended.
    func stop() async {
        close(input)
        await DetachedThread.run { _ = child.wait() }
    }

    private static func startHere(_ program: String, _ environment: [String: String]) -> Result<RunningSandbox, AuthFailure> {
        let input: Pipe
        let output: Pipe
        let child: ChildProcess
        do throws(SystemError) {
            input = try Pipe()
            do throws(SystemError) {
                output = try Pipe()
            } catch {
                close(input.readEnd)
                close(input.writeEnd)
                throw error
            }
            defer {
                close(input.readEnd)
                close(output.writeEnd)
            }
            child = try ChildProcess.start(
                program, ["--json", "--until-input-ends"], environment: environment,
                streams: ChildProcess.Streams(input: .descriptor(input.readEnd), output: .descriptor(output.writeEnd), errors: .inherited))
        } catch {
            return .failure(error.failure("phrase.start", program))
        }
        defer { close(output.readEnd) }
        let notice = try? JSONValue(strict: firstLine(output.readEnd))
        guard let configuration = notice?["configuration"]?.string, let user = notice?["users"]?.array?.first,
            let name = user["name"]?.string, let password = user["password"]?.string
        else {
            close(input.writeEnd)
            child.wait()
            return .failure(
                AuthFailure(.configuration, text: "the test providers did not start", hint: "find out why with: yett sandbox"))
        }
        return .success(RunningSandbox(configuration: configuration, user: (name, password), child: child, input: input.writeEnd))
    }

    /// Everything up to the first line end, or to the end of the output.
    private static func firstLine(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !line.contains(UInt8(ascii: "\n")) {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            line += chunk[..<count]
        }
        return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
