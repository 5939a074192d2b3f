import Fuzzing
import Testing

/// The short form of `Tests/Fuzz/run`: the corpus and some thousand inputs of a fixed seed, run on every change.
struct FuzzTests {
    /// The number of inputs for each reader. It is small because debug builds are slow.
    static let count = 5_000

    @Test(arguments: FuzzedReader.all.map(\.name))
    func readerKeepsItsGuarantees(reader name: String) async throws {
        let reader = try #require(FuzzedReader.all.first { $0.name == name })
        let run = try FuzzRun(reader, seed: 20_260_101)
        let count = reader.isSlow ? Self.count / 10 : Self.count
        let tally = try await run.over(0..<count)
        // A reader that accepts nothing, or everything, was not tested. Few damaged callbacks still have their state.
        #expect(tally.taken > count / 500)
        #expect(tally.refused > count / 100)
        #expect(tally.count >= count)
    }

    @Test func everyReaderIsListed() {
        #expect(
            FuzzedReader.all.map(\.name) == [
                "json", "url", "form", "challenge", "callback", "jwt", "claims", "keys", "metadata", "token", "toml", "store",
                "oidc-agent", "configuration", "theme",
            ])
    }

    @Test(arguments: FuzzedReader.all.map(\.name))
    func sameSeedGivesTheSameInputs(reader name: String) throws {
        let reader = try #require(FuzzedReader.all.first { $0.name == name })
        let numbers = 0..<200
        let inputs = try numbers.map(FuzzRun(reader, seed: 7).input)
        #expect(try numbers.reversed().map(FuzzRun(reader, seed: 7).input) == inputs.reversed())
        #expect(try numbers.map(FuzzRun(reader, seed: 8).input) != inputs)
        #expect(Set(inputs).count > numbers.count / 2)
    }
}
