#include <criterion/criterion.h>

#include "base/record.h"

Test(record, every_name_reads_back_as_its_number)
{
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(severity_parse(view_str(severity_name(i))), (int)i, "%s", severity_name(i));
    for (unsigned i = 0; i < 24; i++)
        cr_assert_eq(facility_parse(view_str(facility_name(i))), (int)i, "%s", facility_name(i));
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        cr_assert_not_null(record_format_name(i));
    cr_assert_null(severity_name(8));
    cr_assert_null(facility_name(24));
    cr_assert_null(listener_name(LISTENER_COUNT));
    cr_assert_null(record_format_name(FORMAT_COUNT));
}

Test(record, a_flag_has_a_name_and_two_together_have_none)
{
    for (unsigned bit = RECORD_TRUNCATED; bit <= RECORD_DECODED; bit <<= 1)
        cr_assert_not_null(record_flag_name(bit), "%u", bit);
    cr_assert_str_eq(record_flag_name(RECORD_CLOCK_SKEW), "clock_skew");
    cr_assert_null(record_flag_name(0));
    cr_assert_null(record_flag_name(RECORD_NO_PRI | RECORD_BAD_TIME));
    cr_assert_null(record_flag_name(RECORD_DECODED << 1));
}

Test(record, severities_have_their_other_names_and_numbers)
{
    cr_assert_eq(severity_parse(VIEW("Error")), 3);
    cr_assert_eq(severity_parse(VIEW("WARN")), 4);
    cr_assert_eq(severity_parse(VIEW("informational")), 6);
    cr_assert_eq(severity_parse(VIEW("7")), 7);
    cr_assert_eq(severity_parse(VIEW("8")), -EINVAL);
    cr_assert_eq(severity_parse(VIEW("")), -EINVAL);
    cr_assert_eq(facility_parse(VIEW("23")), 23);
    cr_assert_eq(facility_parse(VIEW("24")), -EINVAL);
}
