import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The bar for the time left: one scale for all sessions.
@Suite struct TimeLeftTests {
    /// Returns the time left of a session whose token expires after `seconds`.
    private func timeLeft(_ seconds: Int64, isRenewable: Bool, renewsIn renewal: Int64? = nil) throws -> TimeLeft {
        let model = try Given.sessions().model
        var session = try #require(model.sessions?.first { $0.name.description == "work/ada@example.org" })
        session.isRenewable = isRenewable
        session.accessExpiresAt = model.now + .seconds(seconds)
        session.nextRenewalAt = renewal.map { model.now + .seconds($0) }
        return TimeLeft(session, in: model)
    }

    /// A second that has begun counts, so a token that is valid never has "0 s" left.
    @Test(arguments: [(1 as Int64, "1 s"), (1000, "1 s"), (1001, "2 s"), (59_001, "1 min 00 s")])
    func beganSecondCounts(milliseconds: Int64, words: String) throws {
        var session = try Sample.session("work/ada")
        session.accessExpiresAt = Sample.now + .milliseconds(milliseconds)
        let time = TimeLeft(session, in: try Given.sessions().model)
        #expect(time.words == words && !time.isOver)
    }

    /// The state says that nothing is left; a sign in its place would say nothing.
    @Test func noTimeHasNoText() throws {
        let time = TimeLeft(try Sample.session("work/ada", .needsSignIn), in: try Given.sessions().model)
        #expect(time.isOver && time.short.isEmpty && time.column == Words.state(.needsSignIn))
    }

    /// The same time has the same length, however long the token was valid at first.
    @Test func scaleIsLogarithmicFromAMinuteToADay() {
        let spans: [Duration] = [.seconds(59), .seconds(60), .seconds(600), .seconds(3600), .seconds(36_000), .seconds(86_400)]
        let shares = spans.map(TimeLeft.share)
        #expect(shares == shares.sorted())
        #expect(shares[0] == 0.001 && shares[5] == 1)
        #expect(abs(shares[3] - 0.56) < 0.02)
        #expect(TimeLeft.share(of: .seconds(8_640_000)) == 1)
        #expect(TimeLeft.share(of: .milliseconds(1)) == 0.001)
    }

    /// The colour depends on the time left alone: an hour asks for nothing, ten minutes are in the middle, and one is urgent.
    @Test func colourGoesFromRedToGreenWithinAnHour() throws {
        func level(_ seconds: Int64) throws -> Int {
            guard case .gauge(let level)? = try timeLeft(seconds, isRenewable: false).bar?.style.tone else { return -1 }
            return Int(level)
        }
        let levels = try [60, 180, 600, 1800, 59 * 60, 7200, 86_400].map { try level(Int64($0)) }
        #expect(levels == levels.sorted())
        #expect(levels.first == 0 && levels.suffix(3) == [16, 16, 16])
        #expect((7...10).contains(levels[2]) && levels[1] < 6 && levels[3] > 12, "\(levels)")
    }

    @Test(arguments: [(120 as Int64, Role.danger), (600, .warning), (1800, .barFilled), (7200, .barFilled)])
    func barOfASessionThatCannotRenewShowsItsUrgency(seconds: Int64, role: Role) throws {
        #expect(try timeLeft(seconds, isRenewable: false).bar?.style.role == role)
        // Its token is replaced in time.
        #expect(try timeLeft(seconds, isRenewable: true).bar?.style.role == .barFilled)
    }

    @Test func renewalIsMarked() throws {
        #expect(try timeLeft(3600, isRenewable: true, renewsIn: 3000).bar?.mark == TimeLeft.share(of: .seconds(600)))
        for renewal: Int64? in [nil, -5, 3700] { #expect(try timeLeft(3600, isRenewable: true, renewsIn: renewal).bar?.mark == nil) }
    }
}
