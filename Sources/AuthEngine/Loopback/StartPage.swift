import AuthModel
import Localization
import NIOHTTP1

/// The page that says which sign-in a program waits for, and starts it after the user's click.
package struct StartPage: Equatable, Sendable {
    /// The host that the program wants to use.
    let host: String
    /// The session or the provider to sign in with.
    let session: String
    /// The scopes that the session would have in addition.
    let scopes: [String]

    /// The maximum number of scopes that are shown, and of characters in each: a server chooses them.
    private static let scopeLimit = 64
    private static let lengthLimit = 200

    /// Creates a page; `nil` for more than the page can show, because the user must see all that a click allows.
    package init?(host: String, session: String, scopes: [String]) {
        guard scopes.count <= Self.scopeLimit, scopes.allSatisfy({ $0.utf8.count <= Self.lengthLimit }) else { return nil }
        (self.host, self.session, self.scopes) = (host, session, scopes)
    }

    /// The name of the form's only field, which has the one-time value.
    static let field = "once"

    /// Returns the page with its form.
    ///
    /// - Parameters:
    ///   - once: the one-time value: base64url.
    ///   - hasChanged: whether the user clicked on a page that said something else.
    func answer(in language: Language, once: String, hasChanged: Bool) -> PageAnswer {
        let title = UserMessage("start_page.title").text(in: language)
        var content = "<h1>\(title)</h1>"
        if hasChanged { content += "<p><b>\(UserMessage("start_page.changed").text(in: language))</b></p>" }
        content += "<p>\(Self.html("start_page.waiting", ["host": host, "session": session], in: language))</p>"
        if !scopes.isEmpty {
            content += "<p>\(UserMessage("start_page.scopes").text(in: language))</p><ul>"
            content += scopes.map { "<li>\(Self.escape($0))</li>" }.joined() + "</ul>"
        }
        content += """
            <form method="post"><input type="hidden" name="\(Self.field)" value="\(once)">\
            <button>\(UserMessage("start_page.sign_in").text(in: language))</button></form>\
            <p>\(UserMessage("start_page.caution").text(in: language))</p>
            """
        return PageAnswer(hasChanged ? .conflict : .ok, title: title, in: language, content: content, hasForm: true)
    }

    /// Returns the page that the browser shows after the click.
    static func started(in language: Language) -> PageAnswer {
        let title = UserMessage("start_page.started").text(in: language)
        let text = UserMessage("start_page.started_text").text(in: language)
        return PageAnswer(
            .ok, title: title, in: language,
            content: "<div class=\"mark\" aria-hidden=\"true\">✓</div><h1>\(title)</h1><p>\(text)</p>")
    }

    /// Returns a text with its arguments in bold.
    private static func html(_ code: String, _ arguments: [String: String], in language: Language) -> String {
        let escaped = arguments.mapValues { UserMessage.Argument.text("<b>\(escape($0))</b>") }
        return UserMessage(code: code, arguments: escaped).text(in: language)
    }

    /// Returns a text as HTML. Everything but printable ASCII becomes a question mark: names of hosts, sessions and scopes have nothing else.
    private static func escape(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case " "..."~": out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out
    }
}
