/// The tables of a document during parsing, with the rules for extending them.
///
/// Tables are stored in an array and refer to each other by index, so that a header can return to an earlier table.
struct TOMLTree {
    /// The origin of a table, which decides what may extend it.
    private enum Origin {
        /// Implied by a longer header. Its own header may follow.
        case implicit
        /// Created by its own header, or by a header of an array of tables.
        case header
        /// Created by a dotted key. Dotted keys may extend it, a header may not.
        case dotted
    }

    private enum Slot {
        case value(TOMLValue)
        case table(Int)
        case tables(Int)
    }

    private struct Table {
        var origin: Origin
        var names: [String] = []
        var slots: [TOMLName: Slot] = [:]

        mutating func put(_ slot: Slot, at name: String) {
            if slots.updateValue(slot, forKey: TOMLName(name)) == nil { names.append(name) }
        }
    }

    /// The reason why a path is refused. `name` is the conflicting part.
    struct Conflict: Error, Equatable {
        enum Kind: Equatable {
            case duplicate
            /// The name is a value, so nothing can be below it.
            case notATable
            /// The name is a table that was completed elsewhere.
            case closed
        }
        var kind: Kind
        var name: String
    }

    private var tables = [Table(origin: .header)]
    /// The tables of each array of tables.
    private var arrays: [[Int]] = []
    /// The table that new keys are added to.
    private var current = 0

    /// Opens `[path]` as the current table.
    mutating func open(_ path: [String]) throws(Conflict) {
        guard let name = path.last else { return }
        let parent = try parent(of: path)
        switch tables[parent].slots[TOMLName(name)] {
        case nil: current = add(.header, to: parent, at: name)
        case .table(let table) where tables[table].origin == .implicit:
            tables[table].origin = .header
            current = table
        case .table, .tables, .value: throw Conflict(kind: .duplicate, name: name)
        }
    }

    /// Appends an element to `[[path]]` and makes it the current table.
    mutating func append(_ path: [String]) throws(Conflict) {
        guard let name = path.last else { return }
        let parent = try parent(of: path)
        switch tables[parent].slots[TOMLName(name)] {
        case nil:
            tables[parent].put(.tables(arrays.count), at: name)
            arrays.append([tables.count])
        case .tables(let array): arrays[array].append(tables.count)
        case .table, .value: throw Conflict(kind: .duplicate, name: name)
        }
        current = tables.count
        tables.append(Table(origin: .header))
    }

    /// Stores a value at a dotted path below the current table.
    mutating func put(_ value: TOMLValue, at path: [String]) throws(Conflict) {
        guard let last = path.last else { return }
        var table = current
        for name in path.dropLast() {
            switch tables[table].slots[TOMLName(name)] {
            case nil: table = add(.dotted, to: table, at: name)
            case .table(let next) where tables[next].origin == .dotted: table = next
            case .table, .tables: throw Conflict(kind: .closed, name: name)
            case .value: throw Conflict(kind: .notATable, name: name)
            }
        }
        guard tables[table].slots[TOMLName(last)] == nil else { throw Conflict(kind: .duplicate, name: last) }
        tables[table].put(.value(value), at: last)
    }

    /// The whole document as one value.
    var root: TOMLValue { value(of: 0) }

    private func value(of table: Int) -> TOMLValue {
        .table(
            tables[table].names.compactMap { name in
                switch tables[table].slots[TOMLName(name)] {
                case .value(let value): TOMLValue.Member(name, value)
                case .table(let table): TOMLValue.Member(name, value(of: table))
                case .tables(let array): TOMLValue.Member(name, .array(arrays[array].map(value)))
                case nil: nil
                }
            })
    }

    private mutating func parent(of path: [String]) throws(Conflict) -> Int {
        var table = 0
        for name in path.dropLast() {
            switch tables[table].slots[TOMLName(name)] {
            case nil: table = add(.implicit, to: table, at: name)
            case .table(let next): table = next
            // A path through an array of tables continues in its last element.
            case .tables(let array): table = arrays[array].last ?? table
            case .value: throw Conflict(kind: .notATable, name: name)
            }
        }
        return table
    }

    private mutating func add(_ origin: Origin, to parent: Int, at name: String) -> Int {
        tables.append(Table(origin: origin))
        tables[parent].put(.table(tables.count - 1), at: name)
        return tables.count - 1
    }
}
