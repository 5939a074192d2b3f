/// Key files made with openssl for these tests; used nowhere else.
enum SampleKeys {
    /// PKCS #8.
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8PHUaeSd9+h2UOmq
        ePz4+lZ+Y5U0/M3Bm9/0WuaHE4GhRANCAAREcHVSH5b4TCFDLDDR+LzUq/iwsG0Q
        /ZC0UGKncA9yMLxM05e9FIcvKSEZ7JDH8JZbRuINea6IcCfh+sW65bYF
        -----END PRIVATE KEY-----
        """

    /// The same key in SEC 1.
    static let p256InSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIPDx1GnknffodlDpqnj8+PpWfmOVNPzNwZvf9FrmhxOBoAoGCCqGSM49
        AwEHoUQDQgAERHB1Uh+W+EwhQyww0fi81Kv4sLBtEP2QtFBip3APcjC8TNOXvRSH
        LykhGeyQx/CWW0biDXmuiHAn4frFuuW2BQ==
        -----END EC PRIVATE KEY-----
        """

    /// SEC 1 as openssl ecparam writes it: the curve in a block before the key.
    static let p256WithParameters = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIJPTaOwSehynR9Qqt+TgC8Q7HMOw7AQVU8qUDqHyhFyyoAoGCCqGSM49
        AwEHoUQDQgAEe+yQVzwj/fNJFkripRVgppazzFAeABQHGtqMpIPz8MVY3leTI9LK
        /SzV0JKTK9HJd+NxrL0NQcRa7c/WdrK5qg==
        -----END EC PRIVATE KEY-----
        """

    /// A curve that no supported algorithm uses.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgXuCwOXw6QIbvopVeoeKJ
        sXOfGpEXNf6QrGw+5hgwGLShRANCAATt5o0nUDe4BUhlIJeiaIGD2u217W25/SQU
        M/62SdLeQkjJPLf9lA1JtjKOz1kkuthiYNr4RLWl8nYeif1fpTzE
        -----END PRIVATE KEY-----
        """

    /// A key for key agreement, with the same structure as Ed25519.
    static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIDDuUllvBDbr4XKOZXv86lT8rgwlW7pMFux1a9y9GoF6
        -----END PRIVATE KEY-----
        """

    /// The first key, encrypted with a passphrase.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg9tt7lBrtEPAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJrpfoNlJTh8Q0wgSEvb2x4EgZBB
        8FqAL6e7AF+q1GZJYDBgE45eLEQbUfq/6nhu49vq05AjyaOnKGppYWL5ZRIduIbt
        ncbL7As18IL1D/0Aa0ivAzjkd0Y0xywvOzrTBa6PFTphDd7KwatpoNKsmAhf8+hv
        SJFFyGLR+as9MbZBGeyFnXy/LQJ6iAviEK33O6cDEacfOpnChqsRoPl+B4zMgRk=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The same key in the encrypted format that preceded PKCS #8.
    static let encryptedInSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,C99CB1B0257BE704DB602516B0AF8B16

        T7aD9TTkVRqy+VltyyOnnPVqqiZoqLbb4POWotIvcbVNKcyT/HNGfYNWD6GXIfAM
        GKVk7/6HmzBNWYeYXF8J7B5MUTgeNb0dBQTRLAmcGiUCwPoKWHtbThozH1eWCDrb
        bVqFMkKYHFDzPCFwlt9VT2RW045BZepazrR4QyvDOdY=
        -----END EC PRIVATE KEY-----
        """

    /// A public key.
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERHB1Uh+W+EwhQyww0fi81Kv4sLBt
        EP2QtFBip3APcjC8TNOXvRSHLykhGeyQx/CWW0biDXmuiHAn4frFuuW2BQ==
        -----END PUBLIC KEY-----
        """

    /// RFC 8410 section 10.3.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
        -----END PRIVATE KEY-----
        """
}
