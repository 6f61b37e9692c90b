//! Subrequests: requests that are part of another message, such as the result of a call.

#[cfg(feature = "embedded-io-async")]
use super::AsyncRoutes;
use super::route::{Call, Routes, Stage};
use super::{Exchange, Observer, Processed, Server};
use crate::copy::copy_down;
use crate::json::{RawValue, Room};
use crate::message::ErrorCode;

/// The id of a subrequest, which has none itself: a reply needs an id.
const ID: &[u8] = b"0";

impl<R, H> Server<R, H> {
    /// Calls the handler of `method`, writes its result to the front of `room`, and returns the length.
    ///
    /// # Errors
    /// The error code, if the answer is an error.
    pub(crate) fn answer_subrequest<C>(
        &mut self,
        context: &mut C,
        method: &str,
        params: Option<RawValue<'_>>,
        room: &mut [u8],
    ) -> Result<usize, ErrorCode>
    where
        R: Routes<C>,
        H: Observer<C>,
    {
        let mut exchange = Exchange::of(&[], Room::of(room), &self.dialect);
        if exchange.open(ID) {
            self.route(context, Call::new(Stage::Request, method, &[], params, self.dialect), &mut exchange);
        }
        let (len, code) = ended(self.end(context, &mut exchange));
        move_result_to_front(room, len, code)
    }

    /// [`answer_subrequest`](Self::answer_subrequest) with `async` handlers.
    ///
    /// # Errors
    /// As [`answer_subrequest`](Self::answer_subrequest).
    #[cfg(feature = "embedded-io-async")]
    pub(crate) async fn answer_subrequest_async<C>(
        &mut self,
        context: &mut C,
        method: &str,
        params: Option<RawValue<'_>>,
        room: &mut [u8],
    ) -> Result<usize, ErrorCode>
    where
        R: AsyncRoutes<C>,
        H: Observer<C>,
    {
        let (len, code) = {
            let mut exchange = Exchange::of(&[], Room::of(room), &self.dialect);
            if exchange.open(ID) {
                let mut call = Call::new(Stage::Request, method, &[], params, self.dialect);
                self.route_async(context, &mut call, &mut exchange).await;
            }
            ended(self.end(context, &mut exchange))
        };
        move_result_to_front(room, len, code)
    }
}

/// The length and the code of an answer, which no longer borrow the room.
fn ended(processed: Processed<'_>) -> (usize, Option<ErrorCode>) {
    (processed.answer.map_or(0, <[u8]>::len), processed.code)
}

/// Moves the result out of the response, `room[..len]`, to the front of `room`, and returns the length of the result.
fn move_result_to_front(room: &mut [u8], len: usize, code: Option<ErrorCode>) -> Result<usize, ErrorCode> {
    let answer = room.get(..len).unwrap_or_default();
    let result = RawValue::validated(answer, answer).get("result");
    let result = result.ok_or(code.unwrap_or(ErrorCode::INTERNAL_ERROR))?;
    let (start, len) = (result.offset(), result.as_bytes().len());
    copy_down(room, start, len);
    Ok(len)
}
