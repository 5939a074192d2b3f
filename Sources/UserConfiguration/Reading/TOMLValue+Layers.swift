package import TOML

/// Values of one file over those of another.
extension TOMLValue {
    /// Returns this value over a lower one: two tables become one with the keys of both; any other value replaces the lower one.
    package func merged(over lower: TOMLValue) -> TOMLValue {
        guard let upperMembers = members, let lowerMembers = lower.members else { return self }
        let upper = Dictionary(upperMembers.map { ($0.name, $0.value) }) { first, _ in first }
        var names: Set<String> = []
        var result: [Member] = []
        for member in lowerMembers {
            names.insert(member.name)
            if let value = upper[member.name] {
                result.append(Member(member.name, value.merged(over: member.value)))
            } else if !AlternativeKeys.alternatives(to: member.name).contains(where: { upper[$0] != nil }) {
                result.append(member)
            }
        }
        return .table(result + upperMembers.filter { !names.contains($0.name) })
    }

    /// Returns this table without the value at a path.
    package func removing(_ path: ArraySlice<String>) -> TOMLValue {
        guard let name = path.first, let members else { return self }
        return .table(
            members.compactMap { member in
                guard member.name == name else { return member }
                return path.count == 1 ? nil : Member(name, member.value.removing(path.dropFirst()))
            })
    }

    /// Returns a table with nothing but this value, at a path.
    package func placed(at path: [String]) -> TOMLValue { path.reversed().reduce(self) { .table([Member($1, $0)]) } }
}
