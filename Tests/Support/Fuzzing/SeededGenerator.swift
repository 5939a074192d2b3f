/// Random numbers that a seed determines (SplitMix64): the same seed gives the same inputs on every machine.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    /// The generator of one input of a run, so that any input can be made again without those before it.
    public init(seed: UInt64, input: UInt64) {
        var mixer = SeededGenerator(seed: seed)
        state = mixer.next() ^ input &* 0xD1B5_4A32_D192_ED03
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to `bound`, which is above 0; of no use for secrets.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// One of a list that is not empty.
    package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
