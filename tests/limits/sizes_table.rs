// Type, bytes on a 32-bit ARM, bytes on a 64-bit machine.
sizes! {
    Error = 8, 16;
    ErrorObject<'_> = 40, 64;
    RawValue<'_> = 12, 24;
    RawStr<'_> = 8, 16;
    Params<'_> = 24, 48;
    Writer<'_> = 20, 40;
    Dialect = 8, 16;
    Envelope<'_> = 44, 80;
    Envelopes<'_> = 36, 1632;
    Refused<'_> = 36, 72;
    Id = 72, 80;
    Id<16> = 24, 32;
    Request<'_> = 160, 184;
    Request<'_, 16, 32> = 80, 104;
    Notification<'_> = 84, 104;
    Response<'_> = 112, 144;
    Message<'_> = 160, 184;
    Message<'_, 16, 32> = 80, 104;
    Batch<'_> = 16, 32;
    Deserializer<'_> = 44, 88;
    PayloadError = 16, 32;
    Exchange<'_, '_> = 160, 1832;
    Reply<'_> = 32, 64;
    Framer<Lines, 256> = 288, 312;
    Client<(), 1, 0> = 64, 72;
    Client<(), 8, 0> = 232, 240;
    Client<(), 8, 20> = 360, 432;
}
