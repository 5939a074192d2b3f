import AuthEngine
import AuthModel
import Glibc
import ProcessHarness

extension Suite {
    /// Measures the agent: its memory, token requests, idle wake-ups, and its requests to a provider after a sleep.
    func agent(_ thousand: FilledHome, _ unit: Measurement) async throws {
        try await MeasuredAgent.run(FilledHome(sessions: 10)) { agent in
            memory(of: agent, sessions: "10", aim: "12 MB")
            try await requests(agent)
            try await rest(agent)
        }
        try await MeasuredAgent.run(thousand) { agent in
            memory(of: agent, sessions: "1,000", aim: "30 MB")
            try await requests(agent)
        }
        try await tokens(unit)
        try await resume()
    }

    private func memory(of agent: MeasuredAgent, sessions: String, aim: String) {
        Row(what: "agent's resident memory, \(sessions) sessions", measured: Row.rounded(agent.megabytes) + " MB", aim: aim).show()
    }

    /// Measures token requests on one connection by the agent's processor time, with both programs on one core: waking another core costs
    /// more than the request, most of all in a virtual machine, and is not the agent's work.
    private func requests(_ agent: MeasuredAgent) async throws {
        try await useCores("0", of: agent)
        let requester = try TokenRequester(agent.home, session: FilledHome.firstSession)
        try requester.run(500)
        let count = rounds * 1_000
        let before = agent.processorTime
        try requester.run(count)
        // The kernel counts in hundredths of a second.
        let seconds = max(0.01, (agent.processorTime - before) / .seconds(1))
        Row(what: "requests for a fresh token, in a second of one core", measured: "\(Int(Double(count) / seconds))", aim: "20,000").show()
        try await useCores("0-\(sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1)", of: agent)
    }

    /// Lets the agent and this process run on these cores only.
    private func useCores(_ cores: String, of agent: MeasuredAgent) async throws {
        for process in [agent.process, getpid()] {
            let arguments = ["--all-tasks", "--pid", "--cpu-list", cores, "\(process)"]
            _ = try await start("/usr/bin/taskset", arguments, environment: [:])
        }
    }

    /// Measures the wake-ups of an idle agent.
    private func rest(_ agent: MeasuredAgent) async throws {
        let time = SystemTimeSource()
        // By then the agent has finished the work of the last requests.
        try await time.sleep(until: time.bootTime + .seconds(idleSeconds / 4))
        let before = try agent.wakes()
        try await time.sleep(until: time.bootTime + .seconds(idleSeconds))
        let woken = try agent.wakes().since(before)
        Row(what: "wake-ups of an idle agent in \(idleSeconds) s", measured: "\(woken)", aim: "0").show()
    }

    /// Measures `yett token`, a C program with the same request, and `oidc-token`, alternately.
    private func tokens(_ unit: Measurement) async throws {
        guard let client = Product.environment("YETT_BENCHMARK_CLIENT") else {
            return Row(what: "`yett token`", measured: "not measured: there is no C compiler").show()
        }
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "36000"])
        try await MeasuredAgent.run(try await FilledHome.signedIn(at: sandbox.issuer).home) { agent in
            let home = agent.home
            var bodies: [() async throws -> Duration] = [
                { try await start(try Product.program("yett"), ["token", FilledHome.firstSession], home: home) },
                { try await start(client, [home.socket, home.store, home.configuration, FilledHome.firstSession], home: home) },
            ]
            var other: OIDCAgent?
            var obstacle = "oidc-agent-cli is not installed"
            if let program = OIDCAgent.program {
                do {
                    // A separate session, because a refresh token can be used only once.
                    let agent = try await OIDCAgent(
                        issuer: sandbox.issuer, refreshToken: try await FilledHome.signedIn(at: sandbox.issuer).refreshToken)
                    bodies.append { try await start(program, [OIDCAgent.account], environment: agent.environment) }
                    other = agent
                } catch {
                    obstacle = "\(error)".replacing("\n", with: " ")
                }
            }
            let times = try await Measurement.alternating(rounds: rounds * 5, bodies)
            let own = times[0]
            Row(
                what: "`yett token`", measured: Measurement.milliseconds(own.median), ratio: Row.rounded(own.ratio(to: unit))
            ).show()
            Row(what: "`yett token`, × a C program that asks the same", measured: Row.rounded(own.ratio(to: times[1])), aim: "1.0").show()
            let beside = times.count > 2 ? Row.rounded(own.ratio(to: times[2])) : "not measured: \(obstacle)"
            Row(what: "`yett token`, × `oidc-token` of oidc-agent", measured: beside, aim: "0.5").show()
            withExtendedLifetime(other) {}
        }
    }

    /// Measures the renewals of one provider's sessions that are all due at once, as after a sleep of the machine.
    private func resume() async throws {
        let provider = try CountingProvider()
        let home = try await FilledHome(sessions: dueSessions, issuer: provider.issuer, lifetime: .seconds(-60))
        try await MeasuredAgent.run(home) { agent in
            let before = agent.processorTime
            let time = SystemTimeSource()
            let deadline = time.bootTime + .seconds(dueSessions)
            while provider.renewals.count < dueSessions, time.bootTime < deadline {
                try await time.sleep(until: time.bootTime + .seconds(1))
            }
            // Shows whether there are more renewals than sessions.
            try await time.sleep(until: time.bootTime + .seconds(2))
            let renewals = provider.renewals
            let moments = renewals.map(\.at)
            let most = moments.map { start in moments.filter { $0 >= start && $0 < start + .seconds(1) }.count }.max() ?? 0
            let span = ((moments.last ?? .zero) - (moments.first ?? .zero)) / .seconds(1)
            let what = "\(dueSessions) sessions of one provider due at once"
            Row(
                what: "\(what): token requests",
                measured: "\(renewals.count), of \(Set(renewals.map(\.refreshToken)).count) refresh tokens",
                aim: "\(dueSessions)"
            ).show()
            Row(what: "\(what): most in any second", measured: "\(most)", aim: "21").show()
            Row(
                what: "\(what): spread over", measured: Row.rounded(span) + " s",
                ratio: "processor time \(Measurement.milliseconds((agent.processorTime - before) / max(1, renewals.count))) each"
            ).show()
        }
    }

    /// Sends as many requests as the agent can answer for some minutes, on eight connections at a time, with fifty requests per connection.
    func soak(minutes: Int) async throws {
        try await MeasuredAgent.run(FilledHome(sessions: 100)) { agent in
            let began = clock.now
            var count = 0
            print("| minute | requests | resident memory | descriptors | threads |\n| --- | --- | --- | --- | --- |")
            for minute in 0...minutes {
                print("| \(minute) | \(count) | \(Row.rounded(agent.megabytes)) MB | \(agent.descriptors) | \(agent.threads) |")
                guard minute < minutes else { break }
                while clock.now < began + .seconds(60 * (minute + 1)) {
                    let requesters = try (0..<8).map { try TokenRequester(agent.home, session: "provider\($0)/person\($0)") }
                    try TokenRequester.run(requesters, 50)
                    count += requesters.count * 50
                }
            }
        }
    }
}
