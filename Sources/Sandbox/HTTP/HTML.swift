import Crypto

/// Text for a page; every value that is inserted is escaped.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    /// Creates literal markup.
    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends text, escaped for use between tags and in quoted attributes.
        mutating func appendInterpolation(_ value: String) { text += HTML.escape(value) }

        mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        mutating func appendInterpolation(_ markups: [HTML]) { text += markups.map(\.text).joined() }
    }

    /// Returns `text` with all special characters of HTML escaped; a control character becomes a replacement character.
    static func escape(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case _ where scalar.properties.generalCategory == .control: out += "\u{FFFD}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

/// The frame of every page.
enum Page {
    /// Returns a page as a response.
    ///
    /// - Parameter formTargets: other origins that a form may lead to; browsers check redirects after a form against them.
    static func answer(title: String, _ body: HTML, status: Int = 200, formTargets: [String] = []) -> SandboxResponse {
        let document: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) · sandbox</title>
            <style>\(HTML(stringLiteral: Style.sheet))</style>
            </head>
            <body>
            <main>
            <p class="note">This is a sandbox. Its users and passwords are not real.</p>
            <h1>\(title)</h1>
            \(body)
            </main>
            </body>
            </html>

            """
        let policy =
            "default-src 'none'; style-src 'sha256-\(Style.digest)'; base-uri 'none'; frame-ancestors 'none'; form-action "
            + (["'self'"] + formTargets).joined(separator: " ")
        return .text(
            document.text, type: "text/html; charset=utf-8", status: status,
            headers: [
                ("Content-Security-Policy", policy), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ])
    }
}

/// The style sheet of the pages, allowed by its hash.
private enum Style {
    static let digest = SandboxBase64.standard(Array(SHA256.hash(data: Array(sheet.utf8))))

    static let sheet = """
        :root{color-scheme:light dark;--ink:#22262b;--dim:#5b646e;--paper:#f3f1ec;--card:#fff;--iron:#3a4652;--line:#cfc9bd;--warm:#b4562a}
        @media(prefers-color-scheme:dark){:root{--ink:#e8e6e1;--dim:#a5adb5;--paper:#15181b;--card:#1e2226;--iron:#9db0c1;--line:#3a4147;--warm:#e08a5b}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
        main{width:min(26rem,calc(100vw - 2rem));margin:2rem 0;padding:1.75rem;background:var(--card);border:1px solid var(--line);border-top:6px solid var(--iron);border-radius:4px}
        h1{margin:.25rem 0 1rem;font-size:1.4rem;overflow-wrap:anywhere}
        p,li,td{overflow-wrap:anywhere}
        .note{margin:0;color:var(--warm);font-size:.85rem}
        .problem{padding:.5rem .75rem;border-left:4px solid var(--warm)}
        label{display:block;margin:.75rem 0}
        label.tick{display:flex;gap:.6rem;align-items:baseline;margin:.4rem 0}
        input:not([type=checkbox]){display:block;width:100%;padding:.55rem;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:3px}
        button{margin:.75rem .5rem 0 0;padding:.55rem 1.1rem;font:inherit;color:var(--card);background:var(--iron);border:1px solid var(--iron);border-radius:3px;cursor:pointer}
        button.plain{color:var(--ink);background:transparent;border-color:var(--line)}
        :focus-visible{outline:3px solid var(--warm);outline-offset:2px}
        a{color:var(--iron)}
        table{width:100%;margin-top:1.25rem;border-collapse:collapse;font-size:.85rem}
        td,th{padding:.25rem .4rem .25rem 0;text-align:left;border-top:1px solid var(--line)}
        th{color:var(--dim);font-weight:normal}
        code{font:.9em ui-monospace,monospace}
        """
}
