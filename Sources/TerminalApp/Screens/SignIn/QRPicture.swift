import AuthModel
import TerminalUI

/// A QR code in the size that an area allows, made from its lines of half blocks, in which a light module is drawn.
struct QRPicture {
    /// The modules by row; true is light.
    private let modules: [[Bool]]

    /// The width of the light zone around a code, and the least with which readers still find it.
    private static let (quietZone, leastQuietZone) = (4, 2)

    /// Creates a picture; nil without lines, or if they contain anything else than half blocks.
    init?(_ lines: [String]) {
        var modules: [[Bool]] = []
        for line in lines {
            let halves = line.compactMap { Self.halves[$0] }
            guard halves.count == line.count, halves.count == lines[0].count else { return nil }
            modules += [halves.map(\.upper), halves.map(\.lower)]
        }
        guard let columns = modules.first?.count, columns > 0 else { return nil }
        self.init(modules: modules)
    }

    private init(modules: [[Bool]]) { self.modules = modules }

    private static let halves: [Character: (upper: Bool, lower: Bool)] = [
        "█": (true, true), "▀": (true, false), "▄": (false, true), " ": (false, false),
    ]

    /// Returns the lines of the largest picture that fits, with whole modules; nil if none does. Where only that helps, the light zone is
    /// narrower than it should be.
    func lines(in size: Size) -> [String]? {
        let scale = largestScale(in: size)
        if scale > 0 { return drawn(scale) }
        guard let trimmed, trimmed.largestScale(in: size) > 0 else { return nil }
        return trimmed.drawn(1)
    }

    /// The number of columns of a module in the largest picture that fits; 0 if none does.
    func largestScale(in size: Size) -> Int {
        var scale = 0
        while modules[0].count * (scale + 1) <= size.columns, (modules.count * (scale + 1) + 1) / 2 <= size.rows { scale += 1 }
        return scale
    }

    /// The width of the picture with its whole light zone, with one column for each module.
    var columns: Int { modules[0].count }

    /// The size of the smallest picture.
    var leastSize: Size {
        let least = trimmed ?? self
        return Size(columns: least.modules[0].count, rows: (least.modules.count + 1) / 2)
    }

    /// The picture with the least light zone; nil if its zone is not wider than that.
    private var trimmed: QRPicture? {
        let cut = Self.quietZone - Self.leastQuietZone
        let rest = modules.dropFirst(cut).dropLast(cut).map { Array($0.dropFirst(cut).dropLast(cut)) }
        let edges = modules.prefix(Self.quietZone) + modules.suffix(Self.quietZone)
        guard edges.allSatisfy({ $0.allSatisfy(\.self) }), rest.first?.isEmpty == false else { return nil }
        return QRPicture(modules: rest)
    }

    private func drawn(_ scale: Int) -> [String] {
        let rows = modules.flatMap { row in
            Array(repeating: row.flatMap { Array(repeating: $0, count: scale) }, count: scale)
        }
        return stride(from: 0, to: rows.count, by: 2).map { index in
            HalfBlocks.line(rows[index], index + 1 < rows.count ? rows[index + 1] : rows[index].map { _ in true })
        }
    }
}

/// Two rows of pixels in one line of text.
private enum HalfBlocks {
    static func line(_ upper: [Bool], _ lower: [Bool]) -> String {
        String(
            zip(upper, lower).map { upper, lower -> Character in
                upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
            })
    }
}

/// A code in letters of three lines, for typing it on another device.
enum LargeLetters {
    /// Returns the lines; nil if the code is wider than `columns`, or has other characters than letters, digits and hyphens.
    static func lines(_ code: String, columns: Int) -> [String]? {
        let letters = code.uppercased().map { shapes[$0]?.split(separator: " ") ?? [] }
        guard !letters.isEmpty, letters.allSatisfy({ $0.count == rows }) else { return nil }
        let pixels = (0..<rows).map { row in letters.map { $0[row] }.joined(separator: ".").map { $0 == "#" } }
        guard pixels[0].count <= columns else { return nil }
        return stride(from: 0, to: rows, by: 2).map { HalfBlocks.line(pixels[$0], pixels[$0 + 1]) }
    }

    /// Returns the lines of the code, or where it is too wide, the lines of each of its parts, which end with a hyphen; nil if they do not
    /// fit either.
    static func groups(_ code: String, columns: Int) -> [[String]]? {
        if let whole = lines(code, columns: columns) { return [whole] }
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 1, !parts.contains(where: \.isEmpty) else { return nil }
        let groups = parts.enumerated().compactMap { index, part in
            lines(String(part) + (index + 1 < parts.count ? "-" : ""), columns: columns)
        }
        return groups.count == parts.count ? groups : nil
    }

    private static let rows = 6

    /// The pixels of each character, row by row. The zero has a stroke, so that it is no O.
    private static let shapes: [Character: String] = [
        "A": ".###. #...# #...# ##### #...# #...#",
        "B": "####. #...# ####. #...# #...# ####.",
        "C": ".#### #.... #.... #.... #.... .####",
        "D": "####. #...# #...# #...# #...# ####.",
        "E": "##### #.... ####. #.... #.... #####",
        "F": "##### #.... ####. #.... #.... #....",
        "G": ".#### #.... #.... #..## #...# .####",
        "H": "#...# #...# ##### #...# #...# #...#",
        "I": "##### ..#.. ..#.. ..#.. ..#.. #####",
        "J": "..### ...#. ...#. ...#. #..#. .##..",
        "K": "#...# #..#. ###.. #.#.. #..#. #...#",
        "L": "#.... #.... #.... #.... #.... #####",
        "M": "#...# ##.## #.#.# #...# #...# #...#",
        "N": "#...# ##..# #.#.# #..## #...# #...#",
        "O": ".###. #...# #...# #...# #...# .###.",
        "P": "####. #...# #...# ####. #.... #....",
        "Q": ".###. #...# #...# #.#.# #..#. .##.#",
        "R": "####. #...# #...# ####. #..#. #...#",
        "S": ".#### #.... .###. ....# ....# ####.",
        "T": "##### ..#.. ..#.. ..#.. ..#.. ..#..",
        "U": "#...# #...# #...# #...# #...# .###.",
        "V": "#...# #...# #...# #...# .#.#. ..#..",
        "W": "#...# #...# #...# #.#.# ##.## #...#",
        "X": "#...# .#.#. ..#.. ..#.. .#.#. #...#",
        "Y": "#...# .#.#. ..#.. ..#.. ..#.. ..#..",
        "Z": "##### ...#. ..#.. .#... #.... #####",
        "0": ".###. #..## #.#.# #.#.# ##..# .###.",
        "1": "..#.. .##.. ..#.. ..#.. ..#.. .###.",
        "2": ".###. #...# ...#. ..#.. .#... #####",
        "3": "####. ....# .###. ....# ....# ####.",
        "4": "...#. ..##. .#.#. ##### ...#. ...#.",
        "5": "##### #.... ####. ....# ....# ####.",
        "6": ".###. #.... ####. #...# #...# .###.",
        "7": "##### ....# ...#. ..#.. ..#.. ..#..",
        "8": ".###. #...# .###. #...# #...# .###.",
        "9": ".###. #...# .#### ....# ....# .###.",
        "-": "... ... ### ... ... ...",
    ]
}
