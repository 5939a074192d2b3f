import ProcessHarness

/// All measurements, in one run on one machine.
struct Suite {
    /// The number of runs of each operation.
    let rounds: Int
    /// The number of sessions in the scrolled list.
    let manySessions: Int
    /// The number of sessions that are due at once after a sleep.
    let dueSessions: Int
    /// How long the idle agent is observed.
    let idleSeconds: Int
    let settings: String

    let clock = ContinuousClock()

    func run() async throws {
        let unit = try await unit()
        print("\(settings) form, \(rounds) rounds, medians; /bin/true takes \(Measurement.milliseconds(unit.median))\n")
        Row.head.show()
        Row(what: "---", measured: "---", aim: "---", ratio: "---").show()
        try await report("yett --version, by the launcher", unit) {
            try await start(try Product.program("yett"), ["--version"], home: .empty())
        }
        try await report("yett-main --version", unit, budget: .milliseconds(5)) {
            try await start(try Product.program("yett-main"), ["--version"], home: .empty())
        }
        try await status(FilledHome(sessions: 10), sessions: "10", aim: .milliseconds(8), unit)
        let thousand = try await FilledHome(sessions: 1_000)
        try await status(thousand, sessions: "1,000", aim: .milliseconds(20), unit)
        try await frames(unit)
        try await signIn(unit)
        try await agent(thousand, unit)
        try await commands()
        try await reading(unit)
    }

    /// Measures the full program: the launcher gets the list from a running agent.
    private func status(_ home: FilledHome, sessions: String, aim: Duration, _ unit: Measurement) async throws {
        try await report("yett-main status, \(sessions) sessions", unit, budget: aim) {
            try await start(try Product.program("yett-main"), ["status"], home: home)
        }
    }

    /// Measures the unit of all ratios: the start of a program that does nothing.
    func unit() async throws -> Measurement {
        try await Measurement(rounds: rounds) { try await start("/bin/true", environment: [:]) }
    }

    /// Measures the app with an activity log that is full.
    func frames(_ unit: Measurement) async throws {
        let empty = try FilledHome.empty()
        try await report("first frame of the app", unit, budget: .milliseconds(25)) {
            let terminal = try PseudoTerminal(try Product.program("yett-main"), environment: empty.environment)
            return try terminal.time(until: "configured")
        }
        let home = try await FilledHome(sessions: manySessions)
        home.fillActivity(sessions: manySessions)
        let terminal = try PseudoTerminal(try Product.program("yett-main"), environment: home.environment)
        _ = try terminal.time(until: "person")
        try terminal.settle()
        var key = "j"
        try await report("a key to its frame, \(manySessions) sessions", unit, budget: .milliseconds(5)) {
            // Down and up alternately, so that there is always a next line.
            defer { key = key == "j" ? "k" : "j" }
            return try terminal.time(ofAnswerTo: key)
        }
        for (columns, rows) in [(120, 40), (200, 60)] as [(UInt16, UInt16)] {
            let terminal = try PseudoTerminal(
                try Product.program("yett-main"), environment: home.environment, columns: columns, rows: rows)
            _ = try terminal.time(until: "person")
            try terminal.settle()
            // Always down, so that the page of the list turns now and then.
            let counts = try (0..<max(rounds, 40)).map { _ in try terminal.bytes(inAnswerTo: "j") }.sorted()
            print("    bytes for the frame of a key, \(columns)×\(rows): \(counts[counts.count / 2]) (median), \(counts.last ?? 0) (most)")
        }
        try idle()
    }

    /// Measures the wake-ups of an app without moving content: each of them is unnecessary.
    private func idle() throws {
        let terminal = try PseudoTerminal(try Product.program("yett-main"), environment: try FilledHome.empty().environment)
        _ = try terminal.time(until: "configured")
        try terminal.settle()
        let time = Duration.seconds(5)
        print("wake-ups of the idle app in \(time): \(try terminal.wakeups(in: time)), aim 0")
    }

    private func signIn(_ unit: Measurement) async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        let home = try TemporaryHome()
        try home.configure(sandbox, as: "sandbox")
        let environment = home.environment(with: ["BROWSER": Browser.following])
        let request = try await Measurement(rounds: rounds) {
            try await clock.measure { _ = try await Resource.get(sandbox.issuer + "/.well-known/openid-configuration") }
        }
        try await report("a sign-in at the sandbox, browser and provider included", unit) {
            try await start(try Product.program("yett-main"), ["login", "sandbox", "--prompt", "consent"], environment: environment)
        }
        Row(
            what: "one request to the sandbox by curl, of which a sign-in makes four more",
            measured: Measurement.milliseconds(request.median)
        ).show()
    }

    private func report(
        _ name: String, _ unit: Measurement, budget: Duration? = nil, _ body: () async throws -> Duration
    ) async throws {
        let measurement = try await Measurement(rounds: rounds, body)
        Row(
            what: name, measured: Measurement.milliseconds(measurement.median), aim: budget.map(Measurement.milliseconds) ?? "",
            ratio: Row.rounded(measurement.ratio(to: unit))
        ).show()
    }

    func start(_ program: String, _ arguments: [String] = [], home: FilledHome) async throws -> Duration {
        try await start(program, arguments, environment: home.environment)
    }

    /// Returns the time from a program's start to its exit.
    func start(_ program: String, _ arguments: [String] = [], environment: [String: String], input: String = "/dev/null") async throws
        -> Duration
    {
        try await Stopwatch(program, arguments, environment: environment, input: input).time()
    }
}
