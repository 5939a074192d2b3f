import AuthEngine
import ProcessHarness

extension Suite {
    /// Measures the commands that the launcher passes to the agent: beside a C program that asks the same, and beside the full program.
    func commands() async throws {
        guard let client = Product.environment("YETT_BENCHMARK_CLIENT") else { return }
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "36000"])
        try await MeasuredAgent.run(try await FilledHome.signedIn(at: sandbox.issuer).home) { agent in
            let home = agent.home
            let request = try home.write("protocol=https\nhost=\(FilledHome.apiHost)\n\n", to: "request")
            let registry = try home.write("\(FilledHome.apiHost)\n", to: "registry")
            let session = FilledHome.firstSession
            let lines: [(arguments: [String], input: String)] = [
                (["token", session, "--header"], "/dev/null"), (["token", session, "--json"], "/dev/null"),
                (["token", session, "--min-valid", "120"], "/dev/null"), (["helper", "git", "get"], request),
                (["helper", "docker", "get"], registry), (["helper", "kubectl", session], "/dev/null"),
                (["helper", "xoauth2", session, "--user", "ada@example.org"], "/dev/null"),
                (["helper", "oauthbearer", session, "--user", "ada@example.org"], "/dev/null"), (["status", "--prompt"], "/dev/null"),
            ]
            for (arguments, input) in lines {
                let times = try await Measurement.alternating(
                    rounds: rounds,
                    [
                        { try await start(try Product.program("yett"), arguments, environment: home.environment, input: input) },
                        {
                            let words = [home.socket, home.store, home.configuration, "run"] + arguments
                            return try await start(client, words, environment: home.environment, input: input)
                        },
                        { try await start(try Product.program("yett-main"), arguments, environment: home.environment, input: input) },
                    ])
                let name = "`yett \(arguments.joined(separator: " "))`"
                Row(
                    what: "\(name), × a C program that asks the same", measured: Row.rounded(times[0].ratio(to: times[1])), aim: "1.2",
                    ratio: "\(Row.rounded(times[0].ratio(to: times[2]))) × the full program"
                ).show()
            }
        }
    }
}
