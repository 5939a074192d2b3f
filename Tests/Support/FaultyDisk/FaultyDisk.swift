import GRDBSQLite
import Glibc
import Synchronization

/// A disk between SQLite and the real one that fails, or takes the process down, at the Nth change.
///
/// Changes are counted: a write, a truncation, a sync, a deletion. When the power goes, each write that was not synced is lost or kept
/// by the seed's choice, in any order, as a disk does.
public enum FaultyDisk {
    /// What happens at a change.
    public enum Fault: String, Sendable {
        /// The process is killed before the change.
        case kill
        /// The process is killed when half of a write is done.
        case torn
        /// The process is killed, and writes that were not synced may be lost.
        case power
        /// The change fails: no room.
        case full
        /// This change and all that follow fail, while a file is there: no room.
        case filled
        /// The change fails: input/output error; syncs report that of `fsync`.
        case broken
    }

    struct Plan {
        var fault = Fault.kill
        /// The change at which it happens, counted from 1; 0 for never.
        var at = 0
        var seed: UInt64 = 1
        var changes = 0
        /// For `filled`.
        var mark = ""
        /// What was on the disk before writes that were not synced.
        var unsynced: [Before] = []
    }

    struct Before {
        var file: UInt
        var offset: Int64
        var bytes: [UInt8]
        var size: Int64
    }

    static let plan = Mutex(Plan())

    /// Changes so far.
    public static var changes: Int { plan.withLock { $0.changes } }

    /// - Parameter mark: the file that says that there is no room.
    public static func arm(_ fault: Fault, at change: Int, seed: UInt64 = 1, while mark: String = "") {
        plan.withLock { plan in
            plan.fault = fault
            plan.at = change
            plan.seed = seed
            plan.changes = 0
            plan.mark = mark
        }
    }

    /// Counts a change. Returns the error code it must fail with, or 0; does not return when the process is to die.
    static func count(half: () -> Void = {}, isSync: Bool = false) -> Int32 {
        let plan = plan.withLock { plan in
            plan.changes += 1
            return plan
        }
        if plan.fault == .filled {
            return plan.at > 0 && plan.changes >= plan.at && access(plan.mark, F_OK) == 0 ? SQLITE_FULL : SQLITE_OK
        }
        guard plan.changes == plan.at else { return SQLITE_OK }
        switch plan.fault {
        case .full, .filled: return SQLITE_FULL
        case .broken: return isSync ? SQLITE_IOERR | 4 << 8 : SQLITE_IOERR | 3 << 8
        case .torn: half()
        case .power: losePower(plan)
        case .kill: break
        }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private static func losePower(_ plan: Plan) {
        var state = plan.seed
        for before in plan.unsynced.reversed() {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            guard state >> 62 != 0, let file = UnsafeMutablePointer<sqlite3_file>(bitPattern: before.file) else { continue }
            let methods = file.pointee.pMethods.pointee
            before.bytes.withUnsafeBytes { _ = methods.xWrite(file, $0.baseAddress, Int32($0.count), before.offset) }
            _ = methods.xTruncate(file, before.size)
        }
    }

    /// Makes this the disk of every connection that is opened from now on.
    public static func install() {
        guard let real = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no file system") }
        realDisk.withLock { $0 = UInt(bitPattern: real) }
        let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        disk.initialize(to: real.pointee)
        disk.pointee.zName = UnsafePointer(strdup("faulty"))
        disk.pointee.szOsFile += Int32(headSize)
        disk.pointee.pNext = nil
        disk.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let file, let real = FaultyDisk.real else { return SQLITE_INTERNAL }
            file.pointee.pMethods = nil
            let result = real.pointee.xOpen(real, name, FaultyDisk.inner(file), flags, outFlags)
            guard FaultyDisk.inner(file)?.pointee.pMethods != nil else { return result }
            file.pointee.pMethods = UnsafePointer(bitPattern: FaultyDisk.methods.withLock { $0 })
            return result
        }
        disk.pointee.xDelete = { _, name, sync in
            guard let real = FaultyDisk.real else { return SQLITE_INTERNAL }
            let failure = FaultyDisk.count()
            return failure == SQLITE_OK ? real.pointee.xDelete(real, name, sync) : failure
        }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: fileMethods)
        methods.withLock { $0 = UInt(bitPattern: table) }
        precondition(sqlite3_vfs_register(disk, 1) == SQLITE_OK)
    }

    private static let realDisk = Mutex<UInt>(0)
    private static let methods = Mutex<UInt>(0)
    private static let headSize = 16

    private static var real: UnsafeMutablePointer<sqlite3_vfs>? { UnsafeMutablePointer(bitPattern: realDisk.withLock { $0 }) }

    /// The real disk's file, which lies behind ours.
    private static func inner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file>? {
        file.map { (UnsafeMutableRawPointer($0) + headSize).assumingMemoryBound(to: sqlite3_file.self) }
    }

    private static func remember(_ file: UnsafeMutablePointer<sqlite3_file>, offset: Int64, count: Int64) {
        let methods = file.pointee.pMethods.pointee
        var size: Int64 = 0
        _ = methods.xFileSize(file, &size)
        let old = max(0, min(count, size - offset))
        var bytes = [UInt8](repeating: 0, count: Int(old))
        bytes.withUnsafeMutableBytes { _ = methods.xRead(file, $0.baseAddress, Int32($0.count), offset) }
        let before = Before(file: UInt(bitPattern: file), offset: offset, bytes: bytes, size: size)
        plan.withLock { $0.unsynced.append(before) }
    }

    private static func forget(_ file: UnsafeMutablePointer<sqlite3_file>) {
        let address = UInt(bitPattern: file)
        plan.withLock { plan in plan.unsynced.removeAll { $0.file == address } }
    }

    private static var fileMethods: sqlite3_io_methods {
        var table = sqlite3_io_methods()
        table.iVersion = 1
        table.xClose = { file in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            FaultyDisk.forget(file)
            return file.pointee.pMethods.pointee.xClose(file)
        }
        table.xRead = { file, bytes, count, offset in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xRead(file, bytes, count, offset)
        }
        table.xWrite = { file, bytes, size, offset in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            let failure = FaultyDisk.count(half: { _ = file.pointee.pMethods.pointee.xWrite(file, bytes, size / 2, offset) })
            guard failure == SQLITE_OK else { return failure }
            FaultyDisk.remember(file, offset: offset, count: Int64(size))
            return file.pointee.pMethods.pointee.xWrite(file, bytes, size, offset)
        }
        table.xTruncate = { file, size in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            let failure = FaultyDisk.count()
            guard failure == SQLITE_OK else { return failure }
            return file.pointee.pMethods.pointee.xTruncate(file, size)
        }
        table.xSync = { file, flags in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            let failure = FaultyDisk.count(isSync: true)
            guard failure == SQLITE_OK else { return failure }
            defer { FaultyDisk.forget(file) }
            return file.pointee.pMethods.pointee.xSync(file, flags)
        }
        table.xFileSize = { file, size in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xFileSize(file, size)
        }
        table.xLock = { file, level in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xLock(file, level)
        }
        table.xUnlock = { file, level in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xUnlock(file, level)
        }
        table.xCheckReservedLock = { file, result in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xCheckReservedLock(file, result)
        }
        table.xFileControl = { file, operation, argument in
            guard let file = FaultyDisk.inner(file) else { return SQLITE_INTERNAL }
            return file.pointee.pMethods.pointee.xFileControl(file, operation, argument)
        }
        table.xSectorSize = { file in
            guard let file = FaultyDisk.inner(file) else { return 4096 }
            return file.pointee.pMethods.pointee.xSectorSize(file)
        }
        table.xDeviceCharacteristics = { file in
            guard let file = FaultyDisk.inner(file) else { return 0 }
            return file.pointee.pMethods.pointee.xDeviceCharacteristics(file)
        }
        return table
    }
}
