import Glibc

/// A lock on an open file. It belongs to the open file, and so to all copies of its descriptor, in other processes too.
///
/// To close the descriptor does not release the lock while there is a copy, and a program that another thread starts at this moment has one
/// until its `execve`: so each lock is released before its descriptor is closed.
package enum FileLock {
    /// Takes the lock on a whole file, flock(2). Returns whether it is taken; otherwise the reason is in `errno`, `EWOULDBLOCK` if the file
    /// is locked already.
    ///
    /// - Parameter kind: `LOCK_EX`, for one holder, or `LOCK_SH`, for several.
    package static func take(_ descriptor: Int32, _ kind: Int32 = LOCK_EX) -> Bool { flock(descriptor, kind | LOCK_NB) == 0 }

    /// Releases the lock on a whole file, and closes the descriptor.
    package static func close(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        Glibc.close(descriptor)
    }

    /// Takes the lock on one byte, fcntl_locking(2), which need not exist. Returns whether it is taken; otherwise the reason is in `errno`,
    /// `EAGAIN` or `EACCES` if the byte is locked already.
    package static func take(_ descriptor: Int32, byte: Int) -> Bool { set(F_WRLCK, descriptor, byte) }

    /// Releases the lock on one byte, and closes the descriptor.
    package static func close(_ descriptor: Int32, byte: Int) {
        _ = set(F_UNLCK, descriptor, byte)
        Glibc.close(descriptor)
    }

    /// `F_OFD_SETLK` of `<fcntl.h>`, the same number on every Linux; Swift's Glibc module hides it.
    private static let setOpenFileDescriptionLock: Int32 = 37

    private static func set(_ kind: Int32, _ descriptor: Int32, _ byte: Int) -> Bool {
        var range = flock(l_type: Int16(kind), l_whence: Int16(SEEK_SET), l_start: byte, l_len: 1, l_pid: 0)
        return fcntl(descriptor, setOpenFileDescriptionLock, &range) == 0
    }
}
