import AuthModel
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine

/// Servers that send single bytes cause work in proportion to the bytes, and as much memory as others. The tests count pieces and reads, so
/// a slow machine cannot fail them.
@Suite struct StreamGrowthTests {
    /// Bytes that wait for a reader join, so that taking them and keeping them costs no more for single bytes.
    @Test(arguments: [100_000, 200_000, 400_000]) func waitingBytesJoin(count: Int) async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        for index in 0..<count { #expect(withUnsafeBytes(of: UInt8(truncatingIfNeeded: index)) { body.receive($0) }) }
        body.finish(.success(()))
        var pieces = 0
        var received = 0
        while let piece = try await body.nextBuffer() {
            #expect(piece.readableBytesView.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: received + $0) })
            (pieces, received) = (pieces + 1, received + piece.readableBytes)
        }
        #expect(received == count)
        #expect(pieces <= count / 60_000 + 1)
    }

    /// However the sizes are mixed, the pieces are few: each two neighbours have some bytes.
    @Test(arguments: [[1], [4096, 1], [4095, 4096], [60_000, 1, 4095], [65_536, 1]]) func mixedPiecesAreFew(sizes: [Int]) {
        var pieces = WaitingPieces()
        var total = 0
        while total < 1 << 20 {
            for size in sizes { [UInt8](repeating: 7, count: size).withUnsafeBytes { pieces.append($0) } }
            total += sizes.reduce(0, +)
        }
        #expect(pieces.size == total)
        #expect(pieces.count <= 2 * total / 4096 + 1)
        var left = total
        while let piece = pieces.popFirst() { left -= piece.readableBytes }
        #expect(left == 0 && pieces.isEmpty && pieces.size == 0)
    }

    /// A writer that is always ahead keeps only what is not sent yet.
    @Test(arguments: [8, 16, 32]) func sentBytesAreNotKept(megabytes: Int) async {
        let body = RequestBody()
        let piece = [UInt8](repeating: 1, count: 64 << 10)
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { space.deallocate() }
        #expect(await body.write(piece))
        for _ in 0..<(megabytes << 4) {
            #expect(await body.write(piece))
            #expect(body.read(into: space) == .bytes(piece.count))
            let kept = body.state.withLock { $0.waiting.count }
            #expect(kept <= 3 << 20)
        }
    }

    /// Each byte of a header line is searched once and copied once, also if each arrives alone.
    @Test(arguments: [1_000, 2_000, 4_000]) func headerLinesAreSearchedOnce(count: Int) throws {
        var reader = UpgradeResponseReader(protocolName: "websocket", byteLimit: 1 << 20, countLimit: 10)
        let line = CountedReads(Array("HTTP/1.1 101 \(String(repeating: "a", count: count))\r\n".utf8))
        for end in 1...line.count {
            #expect(try reader.portion(of: line[..<end]) == (end == line.count ? .framing(end) : .incomplete))
        }
        #expect(line.readCount <= 2 * line.count)
        // The next line begins anew.
        let field = CountedReads(Array("A: b\r\n".utf8))
        #expect(try reader.portion(of: field) == .framing(field.count))
        #expect(field.readCount <= 2 * field.count)
    }
}
