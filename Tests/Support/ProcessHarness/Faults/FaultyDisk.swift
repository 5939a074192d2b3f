import CSQLite
import Glibc
import Synchronization

/// A SQLite file system (VFS) that fails, or kills the process, at the Nth change.
///
/// Changes are writes, truncations, syncs and deletions. When the power fails, the seed decides for each write that was not synced whether
/// it is kept or lost, in any order, as on a real disk.
public enum FaultyDisk {
    /// The fault that occurs at a change.
    public enum Fault: String, Sendable {
        /// The process is killed before the change.
        case kill
        /// The process is killed when half of a write is done.
        case torn
        /// The process is killed, and writes that were not synced may be lost.
        case power
        /// The change fails because the disk is full.
        case full
        /// This change and all later ones fail because the disk is full, as long as a marker file exists.
        case filled
        /// The change fails with an input/output error. A failing sync reports the error of `fsync`.
        case broken
    }

    struct Plan {
        var fault = Fault.kill
        /// The number of the change at which the fault occurs, counted from 1; 0 for never.
        var at = 0
        var seed: UInt64 = 1
        var changes = 0
        /// The path of the marker file, for `filled`.
        var mark = ""
        /// The contents that unsynced writes replaced.
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

    /// Sets the fault and resets the number of changes to 0.
    /// - Parameter mark: the path of the marker file for `filled`.
    public static func arm(_ fault: Fault, at change: Int, seed: UInt64 = 1, while mark: String = "") {
        plan.withLock { plan in
            plan.fault = fault
            plan.at = change
            plan.seed = seed
            plan.changes = 0
            plan.mark = mark
        }
    }

    /// Counts a change. Returns the error code that it must fail with, or 0. Does not return if the fault kills the process.
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

    /// Installs this file system for every SQLite connection opened from now on.
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

    /// Returns the real file system's file, which is stored behind ours.
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
