//! The error for an answer beyond the limit of an output that grows.

use super::{Counted, Replied, Reply, put_failure};
use crate::error::ErrorKind;
use crate::message::ErrorCode;

impl<'r> Reply<'r> {
    /// Lets the next answer be counted, in place of the answer -32603 to one that was too long. Returns whether it is.
    #[cold]
    #[inline(never)]
    pub(super) fn count(&mut self, counted: &mut Counted<'r>) -> bool {
        let is_too_long = self.progress.fault.is_some_and(|fault| fault.kind() == ErrorKind::OutputFull);
        let is_counted = self.out.grows() && !self.out.is_empty() && is_too_long;
        if is_counted {
            self.reopen();
            counted.0 = Some(self.out.begin_count());
        }
        is_counted
    }

    /// Answers with -32603 and the length of the counted answer, or without it if there is no room.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_len(&mut self, counted: &mut Counted<'r>) -> Replied {
        let written = self.out.finish(0);
        let count = self.out.end_count(counted.0.take().unwrap_or_default());
        // less the comma or bracket in a batch
        let len = count.saturating_add(self.closing_len()).saturating_sub(self.progress.is_batch.into());
        let fault = self.progress.fault;
        let told = (ErrorCode::INTERNAL_ERROR, ("answer too long: ", len as u64, " bytes"));
        self.open_error(told.0);
        match written {
            Ok(()) => put_failure(&told, &mut self.out),
            Err(error) => self.out.fail(error),
        }
        self.close();
        self.progress.fault = fault;
        Replied { is_whole: false }
    }
}
