import AuthModel

extension JSONValue {
    /// Returns the object with a member replaced in place, or added at the end.
    func setting(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(Member(name, value))
        }
        return .object(members)
    }

    /// Returns the object without a member.
    func removing(_ name: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    /// Returns the object with a text member changed; unchanged if it has no such text.
    func mapping(_ name: String, _ change: (String) -> String) -> JSONValue {
        guard let text = self[name]?.string else { return self }
        return setting(name, .string(change(text)))
    }

    /// Returns the object with a suffix appended to a text member.
    func appending(_ suffix: String, to name: String) -> JSONValue { mapping(name) { $0 + suffix } }

    /// Returns the object with seconds added to a numeric member.
    func adding(_ seconds: Int64, to name: String) -> JSONValue {
        guard let number = self[name]?.integer else { return self }
        return setting(name, .number(number + seconds))
    }
}

extension String {
    /// Returns the text with the first occurrence of `part` replaced.
    func replacingFirst(_ part: String, with replacement: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + replacement + self[range.upperBound...]
    }
}

/// Texts that no terminal and no page may show unchanged.
enum HostileText {
    /// C0 controls with OSC 0, OSC 52, CSI and BEL, C1 controls, bidirectional overrides, zero-width characters and markup.
    static let all =
        "Ada\u{1B}]0;owned\u{7}\u{1B}]52;c;ZXZpbA==\u{7}\u{1B}[2J\u{1B}[31m\r\u{8}\u{9B}2J\u{9D}0;x\u{9C}\u{202E}gpj.exe\u{2066}\u{200B}\u{FEFF}"
        + "<script>alert(1)</script>\u{0}\n"
}
