/// The tables of a document while it is read, with the rules of which may be added to.
///
/// Tables lie side by side and name each other by number, so that a header can go back to one that was begun before.
struct TOMLTree {
    /// What brought a table into being, which decides who may add to it.
    private enum Origin {
        /// A longer header ran through it; its own header may still come.
        case passage
        /// Its own header, or a header of an array of tables.
        case header
        /// A dotted key; dotted keys of the same table go on adding to it, a header never.
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
        var slots: [String: Slot] = [:]

        mutating func put(_ slot: Slot, at name: String) {
            if slots.updateValue(slot, forKey: name) == nil { names.append(name) }
        }
    }

    /// Why a path cannot be taken; `name` is the part of it that is in the way.
    struct Conflict: Error, Equatable {
        enum Kind: Equatable {
            case thereAlready
            /// It is a value, and nothing can be put below it.
            case notATable
            /// It is a table that was finished elsewhere.
            case closed
        }
        var kind: Kind
        var name: String
    }

    private var tables = [Table(origin: .header)]
    /// Of each array of tables its elements.
    private var arrays: [[Int]] = []
    /// The table that keys go to.
    private var current = 0

    /// Makes `[path]` the table that keys go to.
    mutating func open(_ path: [String]) throws(Conflict) {
        guard let name = path.last else { return }
        let parent = try parent(of: path)
        switch tables[parent].slots[name] {
        case nil: current = add(.header, to: parent, at: name)
        case .table(let table) where tables[table].origin == .passage:
            tables[table].origin = .header
            current = table
        case .table, .tables, .value: throw Conflict(kind: .thereAlready, name: name)
        }
    }

    /// Makes a new element of `[[path]]` the table that keys go to.
    mutating func append(_ path: [String]) throws(Conflict) {
        guard let name = path.last else { return }
        let parent = try parent(of: path)
        switch tables[parent].slots[name] {
        case nil:
            tables[parent].put(.tables(arrays.count), at: name)
            arrays.append([tables.count])
        case .tables(let array): arrays[array].append(tables.count)
        case .table, .value: throw Conflict(kind: .thereAlready, name: name)
        }
        current = tables.count
        tables.append(Table(origin: .header))
    }

    /// Puts a value at a dotted path below the current table.
    mutating func put(_ value: TOMLValue, at path: [String]) throws(Conflict) {
        guard let last = path.last else { return }
        var table = current
        for name in path.dropLast() {
            switch tables[table].slots[name] {
            case nil: table = add(.dotted, to: table, at: name)
            case .table(let next) where tables[next].origin == .dotted: table = next
            case .table, .tables: throw Conflict(kind: .closed, name: name)
            case .value: throw Conflict(kind: .notATable, name: name)
            }
        }
        guard tables[table].slots[last] == nil else { throw Conflict(kind: .thereAlready, name: last) }
        tables[table].put(.value(value), at: last)
    }

    /// Everything, as one value.
    var root: TOMLValue { value(of: 0) }

    private func value(of table: Int) -> TOMLValue {
        .table(
            tables[table].names.compactMap { name in
                switch tables[table].slots[name] {
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
            switch tables[table].slots[name] {
            case nil: table = add(.passage, to: table, at: name)
            case .table(let next): table = next
            // An array of tables is gone through by its newest element.
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
