import CursesBackend
import Foundation
import Glibc
import TerminalUI
import TestSupport

/// Shows a screen on a pseudo-terminal with the product's own backend, and emulates the bytes that it writes.
enum TerminalBytes {
    struct Failure: Error { let text: String }

    private static let term = "xterm-256color"

    /// Returns what a terminal shows after it received the bytes of one screen.
    ///
    /// - Parameter before: the screens that it showed before, of the same size.
    static func shown(
        _ buffer: ScreenBuffer, after before: [ScreenBuffer] = [], theme: Theme, depth: ColorDepth, showsLinks: Bool = true
    ) async throws -> EmulatedTerminal {
        let bytes = try await bytes(of: before + [buffer], theme: theme, depth: depth, showsLinks: showsLinks)
        guard let end = bytes.firstRange(of: Array("\u{1B}[?1049l".utf8))?.lowerBound else {
            throw Failure(text: "the screen was not left")
        }
        var emulated = EmulatedTerminal(size: buffer.size)
        try emulated.take(Array(bytes[..<end]))
        return emulated
    }

    /// Returns the bytes of each frame, for screens of one size that follow each other.
    static func frames(of buffers: [ScreenBuffer], theme: Theme, depth: ColorDepth) async throws -> [[UInt8]] {
        var rest = try await bytes(of: buffers, theme: theme, depth: depth)[...]
        var frames: [[UInt8]] = []
        while let begin = rest.firstRange(of: Array("\u{1B}[?2026h".utf8)), let end = rest.firstRange(of: Array("\u{1B}[?2026l".utf8)) {
            guard begin.upperBound <= end.lowerBound else {
                rest = rest[end.upperBound...]
                continue
            }
            frames.append(Array(rest[begin.lowerBound..<end.upperBound]))
            rest = rest[end.upperBound...]
        }
        return frames
    }

    private static func bytes(
        of buffers: [ScreenBuffer], theme: Theme, depth: ColorDepth, showsLinks: Bool = true
    ) async throws -> [UInt8] {
        guard let buffer = buffers.first else { return [] }
        var size = winsize(ws_row: UInt16(buffer.size.rows), ws_col: UInt16(buffer.size.columns), ws_xpixel: 0, ws_ypixel: 0)
        var (controller, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&controller, &terminal, nil, nil, &size) == 0 else { throw Failure(text: "no pseudo-terminal") }
        let reader = Task.detached { [controller] in Self.everything(from: controller) }
        var options = CursesOptions(
            descriptors: .init(input: terminal, output: terminal), term: term, colorLimit: depth, glyphs: buffer.glyphs)
        options.showsLinks = showsLinks
        if depth == .trueColor {
            options.description = DirectColors.description(term: term, environment: ["COLORTERM": "truecolor"]) { path in
                FileManager.default.contents(atPath: path).map { Array($0) }
            }
        }
        do {
            try await CursesTerminal.run(options) { backend in
                guard backend.depth == depth else { throw Failure(text: "\(term) has the depth \(backend.depth), not \(depth)") }
                var shown: ScreenBuffer?
                for buffer in buffers {
                    backend.present(ScreenChanges(from: shown, to: buffer, theme: theme))
                    shown = buffer
                }
            }
        } catch {
            close(terminal)
            close(controller)
            throw error
        }
        // Without a terminal, the reader comes to the end.
        close(terminal)
        let bytes = await reader.value
        close(controller)
        return bytes
    }

    private static func everything(from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 { bytes += chunk.prefix(count) } else if count == 0 || errno != EINTR { return bytes }
        }
    }
}
