import ProcessHarness

/// A QR code read from a screen, as a picture for any QR code reader.
struct QRPicture {
    /// Rows of modules; true is light.
    let modules: [[Bool]]

    /// The characters of a code: two modules each, one above the other.
    private static let blocks: [Character: (upper: Bool, lower: Bool)] = [
        "█": (true, true), "▀": (true, false), "▄": (false, true), " ": (false, false),
    ]

    /// Reads the code from a screen; nil if the screen shows none.
    init?(on screen: TerminalScreen) {
        let border = String(repeating: "█", count: 20)
        guard let top = screen.rows.firstIndex(where: { $0.contains(border) }),
            let left = screen.rows[top].firstIndex(of: "█").map({ screen.rows[top].distance(from: screen.rows[top].startIndex, to: $0) })
        else { return nil }
        // The code may stand in a box.
        let width = screen.rows[top].dropFirst(left).prefix { $0 == "█" }.count
        var modules: [[Bool]] = []
        for row in screen.rows[top...] {
            let cells = row.dropFirst(left).prefix(width)
            guard cells.first == "█" || cells.first == "▀", cells.count == width else { break }
            let halves = cells.compactMap { Self.blocks[$0] }
            guard halves.count == width else { break }
            modules += [halves.map(\.upper), halves.map(\.lower)]
        }
        // A complete code is square, but for what a last line of two rows adds.
        guard (width...width + 4).contains(modules.count) else { return nil }
        self.modules = modules
    }

    /// Returns a grey picture in text form (PGM), each module `scale` pixels wide.
    func pgm(scale: Int) -> String {
        let rows = modules.flatMap { row in
            let line = row.flatMap { [String](repeating: $0 ? "255" : "0", count: scale) }.joined(separator: " ")
            return [String](repeating: line, count: scale)
        }
        return "P2\n\((modules.first?.count ?? 0) * scale) \(modules.count * scale)\n255\n" + rows.joined(separator: "\n") + "\n"
    }

    /// Returns the text that an independent QR code reader decodes.
    func readBack(in home: TemporaryHome) async throws -> String {
        guard let reader = Product.installed("zbarimg") else { throw HarnessError("zbarimg is not installed") }
        // Several sizes, as with a phone that is held nearer or farther.
        var answers: [ProgramResult] = []
        for scale in [6, 4, 9, 3] {
            let file = try home.write(pgm(scale: scale), to: "code.pgm")
            let result = try await Program(
                reader, ["--quiet", "--raw", "--nodbus", file], environment: home.environment, folder: home.path, limit: .seconds(300)
            ).run()
            if result.status == 0 { return String(result.output.dropLast()) }
            answers.append(result)
        }
        throw HarnessError("zbarimg: \(answers)")
    }
}
