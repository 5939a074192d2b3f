/// Decides which lines of the activity log are kept when the file is too large.
///
/// Uses of tokens have room of their own, so that they never displace a sign-in, a refusal or a consent. In both parts, one caller cannot
/// displace the others: a quarter of the room is the most that it gets, unless the others need less.
struct ActivityLogCut {
    /// The kept lines, in their order.
    let rest: [UInt8]

    /// The room for uses of tokens, in bytes.
    static let useLimit = 128 << 10
    /// The size above which other lines are dropped, and what is kept of them then, in bytes.
    static let otherLimits = (above: 768 << 10, room: 512 << 10)

    /// Selects lines of a log.
    init(_ log: ArraySlice<UInt8>) {
        let lines = log.split(separator: UInt8(ascii: "\n")).filter { $0.count <= ActivityLog.lineLimit }
        let isUse = lines.map(ActivityRecord.isUse(line:))
        let uses = lines.indices.filter { isUse[$0] }
        let others = lines.indices.filter { !isUse[$0] }
        var kept = Self.newest(uses, of: lines, room: Self.useLimit)
        let size = others.reduce(0) { $0 + lines[$1].count + 1 }
        kept.formUnion(size > Self.otherLimits.above ? Self.newest(others, of: lines, room: Self.otherLimits.room) : Set(others))
        rest = kept.sorted().flatMap { lines[$0] + [UInt8(ascii: "\n")] }
    }

    /// Returns the newest lines that fit into `room`. What the callers leave of their shares is filled with the newest of the rest.
    private static func newest(_ indices: [Int], of lines: [ArraySlice<UInt8>], room: Int) -> Set<Int> {
        var kept: Set<Int> = []
        var left = room
        var sizes: [ArraySlice<UInt8>: Int] = [:]
        for share in [room / 4, room] {
            for index in indices.reversed() where !kept.contains(index) {
                let source = ActivityRecord.source(line: lines[index])
                let size = lines[index].count + 1
                guard size <= left, sizes[source, default: 0] + size <= share else { continue }
                sizes[source, default: 0] += size
                left -= size
                kept.insert(index)
            }
        }
        return kept
    }
}
