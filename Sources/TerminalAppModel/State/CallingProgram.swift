package import AuthModel
import Localization

/// A program that asked for a token, as the activity records it.
package struct CallingProgram: Hashable, Sendable {
    /// The path of the program, or a text such as `process 4711` if only that is known.
    package let path: String

    /// Creates a program from its path.
    package init(path: String) { self.path = path }

    /// Returns the program that an entry is about; nil if the entry does not name one.
    package init?(of entry: Activity) { self.init(in: entry.message) }

    /// Returns the program in a message's arguments; for a program that used yett, the program that started yett.
    package init?(in message: UserMessage) {
        guard let argument = Self.arguments.lazy.compactMap({ message.arguments[$0] }).first else { return nil }
        switch argument {
        case .text(let path): self.init(path: path)
        case .message(let caller): self.init(caller: caller)
        }
    }

    /// Creates a program from the message that names it, such as the last user of a session's token.
    package init(caller: UserMessage) { self = CallingProgram(in: caller) ?? CallingProgram(path: caller.text()) }

    /// The name of the program without its folder.
    package var name: String {
        guard path.hasPrefix("/") else { return path }
        // The kernel adds this to the path of a program that was replaced or deleted since it started.
        let deleted = " (deleted)"
        let path = path.hasSuffix(deleted) ? path.dropLast(deleted.count) : path[...]
        let name = path.drop { $0 == "/" }.split(separator: "/").last.map(String.init)
        return name ?? self.path
    }

    /// The path of the program's file, as a setting names it; nil if only a text is known.
    package var file: String? { UserMessage.verbatim(path).programPath }

    /// The folder of the program, for programs with the same name; nil if the path is unknown.
    package var folder: String? {
        guard path.hasPrefix("/"), let end = path.lastIndex(of: "/") else { return nil }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private static let arguments = ["program", "caller"]

    /// The arguments of messages that are programs.
    fileprivate static let names: Set = ["program", "caller", "parent", "witness"]
}

extension UserMessage {
    /// Returns the message with the path of each program replaced by its name.
    package var withProgramNames: UserMessage {
        var named = arguments
        for name in CallingProgram.names {
            switch arguments[name] {
            case .text(let path)?: named[name] = .text(CallingProgram(path: path).name)
            case .message(let inner)?: named[name] = .message(inner.withProgramNames)
            case nil: break
            }
        }
        return UserMessage(code: code, arguments: named)
    }
}
