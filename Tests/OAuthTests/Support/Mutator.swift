/// Mutates valid inputs slightly, the same way each run.
struct Mutator {
    private var random: Fixture.Counter
    /// Pieces that are meaningful to the parser under test.
    let pieces: [[UInt8]]

    init(seed: UInt64, pieces: [String]) {
        random = Fixture.Counter(state: seed)
        self.pieces = pieces.map { Array($0.utf8) }
    }

    /// Returns a seed with one to four changes: a byte flipped, replaced or inserted; a range removed, duplicated or cut off; a piece
    /// inserted.
    mutating func mutate(_ seeds: [[UInt8]]) -> [UInt8] {
        var bytes = seeds[below(seeds.count)]
        for _ in 0...below(4) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        let end = min(bytes.count, place + below(16))
        switch below(7) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where place < bytes.count: bytes[place] = UInt8(below(256))
        case 2: bytes.insert(UInt8(below(256)), at: place)
        case 3: bytes.removeSubrange(place..<end)
        case 4: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 5 where below(8) == 0: bytes.removeSubrange(place...)
        default: bytes.insert(contentsOf: pieces[below(pieces.count)], at: place)
        }
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }
}
