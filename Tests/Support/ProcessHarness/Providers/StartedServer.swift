/// A server of `Tests/RealProviders` that runs for one test.
public final class StartedServer: Sendable {
    /// The address that it prints when it is ready.
    public let address: String
    private let name: String
    private let port: Int
    private let home: TemporaryHome
    private let environment: [String: String]

    private static let scripts = Product.sourceTree + "/Tests/RealProviders"

    /// Starts the server on a free port.
    ///
    /// - Parameters:
    ///   - name: its name for `Tests/RealProviders/start`.
    ///   - variables: what its script reads from the environment.
    init(_ name: String, _ variables: [String: String]) async throws {
        self.name = name
        port = try FreePort.find()
        home = try TemporaryHome()
        environment = [
            "PATH": Product.environment("PATH") ?? "/usr/bin:/bin", "HOME": home.path, "LANG": "C.UTF-8", "YETT_TEST_CACHE": Browser.cache,
        ].merging(variables) { $1 }
        address = try await Self.start(name, port: port, in: home.path + "/provider", environment)
    }

    /// Starts the server.
    /// - Returns: its address.
    private static func start(_ name: String, port: Int, in folder: String, _ environment: [String: String]) async throws -> String {
        let start = Program(scripts + "/start", [name, "\(port)", folder], environment: environment, limit: .seconds(600))
        let result = try await start.run()
        guard result.status == 0, let address = result.output.split(separator: "\n").last else {
            throw HarnessError("\(name) did not start: \(result)")
        }
        return String(address)
    }

    /// The text of its log.
    public var log: String { String(decoding: read("server.log") ?? [], as: UTF8.self) }

    /// Its folder.
    public var folder: String { home.path + "/provider" }

    /// Returns the names of the files below one of its folders.
    public func files(in folder: String) -> [String] {
        home.files.filter { $0.hasPrefix("provider/\(folder)/") }.map { String($0.dropFirst(9)) }
    }

    /// Returns the bytes of a file that it wrote; nil if it does not exist.
    public func read(_ name: String) -> [UInt8]? { home.read("provider/" + name) }

    /// Returns the files that it wrote and that contain the text.
    public func files(containing text: String) -> [String] { home.files(containing: text) }

    /// Stops it and starts it again at the same address, with nothing of what it kept.
    public func restart() async throws {
        await stop()
        _ = try await Self.start(name, port: port, in: home.path + "/provider-again", environment)
    }

    /// Stops it.
    public func stop() async {
        for folder in ["provider", "provider-again"] {
            let stop = Program(Self.scripts + "/stop", [home.path + "/" + folder], environment: environment, limit: .seconds(300))
            // One that has already ended by itself counts as stopped.
            _ = try? await stop.run()
        }
    }

    /// Runs `body`, and stops the server afterwards.
    func stopped(after body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}
