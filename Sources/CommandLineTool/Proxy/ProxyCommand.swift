internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import ResourceProxy

/// `yett proxy`: a local address whose requests go to one origin with a session's token.
struct ProxyCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Pass local requests on to one URL, each with a fresh token.",
        discussion: """
            Prints its address and serves until it ends. Programs send requests there without a token, and see one only in a body, if the \
            server writes it there; the token goes to URL only. The default address is a Unix socket that only you can open. On 127.0.0.1, \
            connections of other users are refused, the address begins with a secret part, and requests from web pages are refused. Bodies \
            are streamed in both directions, and WebSockets are passed on. An upgrade to any other protocol is refused. Open requests end \
            when the store is locked, the session ends, or the agent stops.
            """)
    static let examples: KeyValuePairs = [
        "yett proxy work https://api.example.org": "Serves on a Unix socket, for example for: curl --unix-socket PATH http://api/me",
        "yett proxy work https://api.example.org --listen 127.0.0.1:0": "Serves on a free port, under a secret address.",
    ]

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Argument(help: "The URL that requests go to. Default: the provider's only resource or API host.")
    var url: String?

    @Option(help: ArgumentHelp("unix:PATH, or 127.0.0.1:PORT with 0 for a free port. Default: a new Unix socket.", valueName: "address"))
    var listen: String?

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if let listen, ProxyAddress(listen) == nil {
            throw ValidationError("'\(listen)' is no address to listen at; write unix:/full/path or 127.0.0.1:PORT")
        }
    }

    func run(in context: CommandContext) async throws {
        let address = try listen.flatMap(ProxyAddress.init) ?? Self.newSocket(in: context)
        let proxy = try await SessionProxy(try SessionName(argument: session), target: url, in: context)
        let console = context.console
        do {
            try await proxy.serve(at: address) { place in
                try console.secret(place)
                console.note("requests go to \(proxy.target) as \(session); end with Ctrl-C")
            }
        } catch {
            // A signal is how it ends.
            guard Task.isCancelled else { throw error }
        }
    }

    /// Returns a new socket beside the agent's.
    private static func newSocket(in context: CommandContext) throws(AuthFailure) -> ProxyAddress {
        let folder = context.agentLocation.forwardedSocket.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        guard let address = ProxyAddress("unix:\(folder)/proxy-\(name).sock") else {
            throw AuthFailure(
                .configuration, text: "the path of the runtime folder is too long", hint: "choose one with --listen unix:PATH")
        }
        return address
    }
}
