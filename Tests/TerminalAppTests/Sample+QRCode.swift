import TerminalUI

@testable import TerminalApp

extension Sample {
    /// The QR code of https://id.example.org/device?user_code=WDJB-MJHT, as the engine draws it.
    static let qrCode = [
        "█████████████████████████████████████",
        "█████████████████████████████████████",
        "████ ▄▄▄▄▄ █ ▀▀▄ ▀ █▀▀ █ █ ▄▄▄▄▄ ████",
        "████ █   █ ███ ▄▄ ▀█▄ ▀███ █   █ ████",
        "████ █▄▄▄█ █ ▄▄ █▄ █▀▄ ███ █▄▄▄█ ████",
        "████▄▄▄▄▄▄▄█ █ ▀ █▄▀ █▄▀▄█▄▄▄▄▄▄▄████",
        "████▄▄ ██ ▄█▄  █▄███▀██ ▀   ▄██  ████",
        "████▄▀▀▄▄ ▄▄█▀█ ▄▄▀ ▄▄▀ ▀▄█▀▄ ▄█▄████",
        "█████▄ █  ▄▄ ▄█▀█▀  ▀█▀▀ █  ███▀ ████",
        "█████▄ ▀ ▀▄▄█ ▄▄ ▄▀▄▀██   ▄ ▀███▄████",
        "██████▀ █▄▄▄ ▄█ ██▄  ▀█▀▄█ ▄██▀▀ ████",
        "████▄▄█ █ ▄█▄ ▄█▀▄▄ █▄ ▄▀▀█ ▄▄██▄████",
        "████▄▄█▄██▄▄ ██▀▄ █ ▀██▄ ▄▄▄  ▀▄▀████",
        "████ ▄▄▄▄▄ █▀▀▀▄▀ ▀▄▀█ ▀ █▄█ ███▄████",
        "████ █   █ ██▄ █▀▀▄ ▀██▄▄ ▄▄  ▀▄▀████",
        "████ █▄▄▄█ █ ██▄ ▄▀ ▀▄▀█▀██▀▄▀█▄▄████",
        "████▄▄▄▄▄▄▄█▄▄██▄█████▄█▄▄▄▄█▄██▄████",
        "█████████████████████████████████████",
        "█████████████████████████████████████",
    ]
}

extension ScreenBuffer {
    /// The area of the QR code, with its light zone; nil without one.
    var qrArea: Rect? {
        let points = (0..<size.rows).flatMap { row in (0..<size.columns).map { Point(column: $0, row: row) } }
        let paper = points.filter { style(at: $0)?.surface == .paper }
        guard let first = paper.first, let last = paper.last else { return nil }
        let area = Rect(
            column: first.column, row: first.row, columns: last.column - first.column + 1, rows: last.row - first.row + 1)
        return paper.count == area.columns * area.rows ? area : nil
    }
}
