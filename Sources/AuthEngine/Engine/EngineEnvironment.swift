public import AuthModel

/// The true edges of the engine. Tests give their own; everything else is the same in a test as in the program.
public struct EngineEnvironment: Sendable {
    public var transport: any HTTPTransport
    public var time: any TimeSource
    /// Where validated metadata is kept between runs; `nil`: only in memory.
    public var cacheDirectory: String?
    /// Whose configuration names `client_secret_command`s that may be run; empty where none may.
    public var commandEnvironment: [String: String]
    /// Where the person is whose request does not say so: it decides which ways in are opened unasked.
    public var surroundings: SignInEnvironment
    /// Where what happens is written down; `nil` where somebody else does that.
    public var recorder: (any ActivityRecorder)?
    /// How long whoever has a token that still works waits for a better one, which comes to be all the same; `nil`: until it is there, for
    /// a process that ends with its answer.
    public var patience: Duration?
    /// What is kept of a client that this program registered at an issuer; the engine's own, from its store.
    var registration: @Sendable (_ clientID: String, _ issuer: Issuer) async throws(AuthFailure) -> ClientManagement? = {
        (_, _) async throws(AuthFailure) in nil
    }

    public init(
        transport: any HTTPTransport, time: any TimeSource, cacheDirectory: String?, commandEnvironment: [String: String] = [:],
        surroundings: SignInEnvironment = .desktop, recorder: (any ActivityRecorder)? = nil,
        patience: Duration? = nil
    ) {
        self.transport = transport
        self.time = time
        self.cacheDirectory = cacheDirectory
        self.commandEnvironment = commandEnvironment
        self.surroundings = surroundings
        self.recorder = recorder
        self.patience = patience
    }
}
