// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The engine's log: one logfmt line on standard error per event:
/// `2026-01-31T23:59:59.000000001Z info event=serve.listen addr=127.0.0.1:8440`. Only the composition root and the
/// outermost layers log; a function that returns an error does not.
enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

/// `fmt` gives the fields behind event=, e.g. "addr=%s port=%d". Control bytes are neutralised; the line is cut with
/// "…" at 4 KiB. One write(2) a line. Safe from several threads.
void log_event(enum log_level level, const char *event, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
