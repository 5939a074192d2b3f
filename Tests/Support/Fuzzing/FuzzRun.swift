/// One run over one reader: which inputs, and what became of them.
public struct FuzzRun: Sendable {
    public let reader: FuzzedReader
    public let seed: UInt64
    private let mutator: Mutator
    private let kept: [[UInt8]]

    /// An input for which a promise was not kept.
    public struct Finding: Error, Sendable {
        public let seed: UInt64
        /// Which input of the run; below 0 one of the corpus as it is.
        public let number: Int
        public let input: [UInt8]
        public let text: String
    }

    /// What a run without a finding came to.
    public struct Tally: Equatable, Sendable {
        public var taken = 0
        public var refused = 0
        public var count: Int { taken + refused }
        public init() {}
    }

    /// - Throws: when the corpus cannot be read.
    public init(_ reader: FuzzedReader, seed: UInt64) throws {
        self.reader = reader
        self.seed = seed
        kept = try Corpus.inputs(of: reader.name) + reader.seeds
        mutator = Mutator(corpus: kept, words: reader.words, maximumLength: reader.maximumLength)
    }

    /// An input of the run, by its number.
    public func input(_ number: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: seed, input: UInt64(number))
        if let reshape = reader.reshape, generator.below(2) == 0 {
            return Array(reshape(generator.pick(kept), mutator, &generator).prefix(reader.maximumLength))
        }
        return mutator.input(using: &generator)
    }

    /// Reads the corpus as it is, and then the inputs of `numbers`.
    ///
    /// - Parameter watch: is told every input before it is read.
    public func over(_ numbers: Range<Int>, watch: (_ number: Int, _ input: [UInt8]) throws -> Void = { _, _ in }) async throws -> Tally {
        var tally = Tally()
        for (index, input) in kept.enumerated() { try await read(input, index - kept.count, &tally, watch) }
        for number in numbers { try await read(input(number), number, &tally, watch) }
        return tally
    }

    private func read(_ input: [UInt8], _ number: Int, _ tally: inout Tally, _ watch: (Int, [UInt8]) throws -> Void) async throws {
        try watch(number, input)
        do throws(BrokenProperty) {
            if try await reader.check(input) { tally.taken += 1 } else { tally.refused += 1 }
        } catch {
            throw Finding(seed: seed, number: number, input: input, text: error.text)
        }
    }
}

extension FuzzRun.Finding: CustomStringConvertible {
    public var description: String { "input \(number) of seed \(seed): \(text): \(Hexadecimal.text(input))" }
}

/// Bytes as people copy them.
public enum Hexadecimal {
    public static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
