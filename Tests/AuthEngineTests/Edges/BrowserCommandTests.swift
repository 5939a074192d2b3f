import AuthModel
import Testing

@testable import AuthEngine

@Suite struct BrowserCommandTests {
    private static let address = "https://[::1]:8443/authorize;x=1?a=b%20c&d=$(id)&e='f'&g=*!~[]"
    /// The same URL as an opener command receives it: every character that a shell interprets is escaped.
    private static let page = "https://[::1]:8443/authorize%3Bx=1?a=b%20c&d=%24%28id%29&e=%27f%27&g=%2A%21~%5B%5D"

    @Test(arguments: [
        ("firefox", ["firefox", page]),
        ("firefox %s", ["firefox", page]),
        ("chromium --app=%s --new-window", ["chromium", "--app=\(page)", "--new-window"]),
        ("firefox -P 'My Profile' \"%s\"", ["firefox", "-P", "My Profile", page]),
        ("  open  -a\tx ", ["open", "-a", "x", page]),
        ("x 50%% %s", ["x", "50%", page]),
        ("x ; rm -rf $HOME | `id` > y", ["x", ";", "rm", "-rf", "$HOME", "|", "`id`", ">", "y", page]),
        ("x ''", ["x", "", page]),
    ])
    func parsesToAnArgumentVector(_ text: String, _ arguments: [String]) throws {
        let command = try #require(BrowserCommand(text))
        #expect(command.arguments(try url(Self.address), isPrivate: false) == arguments)
    }

    @Test(arguments: ["", "   ", "x 'y", "\"", "''", "x\0y"])
    func refusesInvalidCommands(_ text: String) {
        #expect(BrowserCommand(text) == nil)
    }

    @Test func readsTheBROWSERVariable() {
        #expect(BrowserCommand.list("firefox -new-tab %s::w3m").map(\.words) == [["firefox", "-new-tab", "%s"], ["w3m"]])
        #expect(BrowserCommand.list("").isEmpty)
    }

    @Test(arguments: [
        ("firefox", ["firefox", "--private-window", page]),
        ("/usr/bin/chromium --x %s", ["/usr/bin/chromium", "--incognito", "--x", page]),
        ("microsoft-edge", ["microsoft-edge", "--inprivate", page]), ("brave --incognito", ["brave", "--incognito", page]),
        ("xdg-open", ["xdg-open", page]),
    ])
    func addsThePrivateWindowOption(_ text: String, _ arguments: [String]) throws {
        let command = try #require(BrowserCommand(text))
        #expect(command.arguments(try url(Self.address), isPrivate: true) == arguments)
    }
}
