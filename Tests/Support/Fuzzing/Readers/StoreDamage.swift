/// Changes a database with knowledge of its pages.
enum StoreDamage {
    static func damaged(_ input: [UInt8], _ mutator: Mutator, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = input
        for _ in 0...generator.below(3) { damage(&bytes, mutator, using: &generator) }
        return bytes
    }

    private static func damage(_ bytes: inout [UInt8], _ mutator: Mutator, using generator: inout SeededGenerator) {
        // The page size of the database (SQLite's file format, section 1.3).
        let size = bytes.count > 18 ? max(512, Int(bytes[16]) << 8 | Int(bytes[17])) : 512
        let pages = bytes.count / size
        guard pages > 1 else { return bytes = mutator.changed(bytes, using: &generator) }
        func page(_ index: Int) -> Range<Int> { index * size..<(index + 1) * size }
        let one = page(generator.below(pages))
        let other = page(generator.below(pages))
        switch generator.below(8) {
        case 0: (bytes[one], bytes[other]) = (bytes[other], bytes[one])
        case 1: bytes[one] = bytes[other]
        case 2: bytes.replaceSubrange(one, with: [UInt8](repeating: 0, count: size))
        case 3: bytes.removeSubrange(one)
        case 4: bytes.insert(contentsOf: bytes[other], at: one.lowerBound)
        // The header of a page's B-tree and the offset of its cells.
        case 5: overwrite(&bytes, at: one.lowerBound + (one.lowerBound == 0 ? 100 : 0) + generator.below(24), using: &generator)
        // The header of the file: versions, sizes, free pages, the schema's cookie and format, the text encoding.
        case 6: overwrite(&bytes, at: 16 + generator.below(84), using: &generator)
        default:
            let word = generator.pick(mutator.words)
            let place = generator.below(bytes.count)
            for (offset, byte) in word.enumerated() where place + offset < bytes.count { bytes[place + offset] = byte }
        }
    }

    private static func overwrite(_ bytes: inout [UInt8], at place: Int, using generator: inout SeededGenerator) {
        let edges: [UInt8] = [0x00, 0x01, 0x02, 0x05, 0x0A, 0x0D, 0x7F, 0x80, 0xFF, UInt8(truncatingIfNeeded: generator.next())]
        for offset in 0...generator.below(4) where place + offset < bytes.count { bytes[place + offset] = generator.pick(edges) }
    }
}
